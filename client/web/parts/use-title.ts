/** The title of the page: who is on the screen, and before it how much needs the user, for whoever looks at another tab. */
import { useEffect } from 'react';

export function useTitle(name: string, needing: number): void {
  useEffect(() => {
    document.title = needing > 0 ? `(${needing}) ${name}` : name;
    return () => {
      document.title = 'LineUp';
    };
  }, [name, needing]);
}
