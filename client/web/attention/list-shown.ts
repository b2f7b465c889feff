/** Whether the list of conversations is on the screen: each says there itself that it needs the user, and a notice would only cover it. */
import { useEffect } from 'react';

let lists = 0;

/** For the list. */
export function useListShown(): void {
  useEffect(() => {
    lists += 1;
    return () => {
      lists -= 1;
    };
  }, []);
}

export function isListShown(): boolean {
  return lists > 0;
}
