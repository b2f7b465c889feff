/** The app's mark: two ends and the line between them. */
export function Mark() {
  return (
    <svg className="screen-mark" viewBox="0 0 48 48" aria-hidden="true">
      <rect width="48" height="48" rx="12" className="mark-ground" />
      <path d="M16 24h16" className="mark-line" strokeWidth="2.5" strokeLinecap="round" />
      <circle cx="12.5" cy="24" r="4.5" className="mark-end" />
      <circle cx="35.5" cy="24" r="3.5" className="mark-line" strokeWidth="2.5" />
    </svg>
  );
}
