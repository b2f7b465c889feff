/** The height that is left when a keyboard is on the screen. Safari lays its keyboard over the page and tells only the visual viewport. */
export function keepWithinKeyboard(): void {
  const viewport = window.visualViewport;
  if (!viewport) return;
  const fit = () => {
    // A page that was zoomed by hand has a small viewport too, and must not shrink.
    if (viewport.scale > 1.01) return;
    document.documentElement.style.setProperty('--app-height', `${viewport.height}px`);
    if (viewport.offsetTop > 0) window.scrollTo(0, 0);
  };
  viewport.addEventListener('resize', fit);
  fit();
}
