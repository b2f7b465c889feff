/** What is seen while the page is loaded: the same as index.html has until there is any of this. */
import { Mark } from './mark.tsx';

export function Starting() {
  return (
    <div className="starting">
      <Mark />
      <p>LineUp</p>
    </div>
  );
}
