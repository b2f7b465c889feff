/** Runs many calls with a bound on how many are under way at once. */

/** `call` on every item, at most `limit` at a time; answers in the items' order, the failed ones as reasons. */
export async function inParallel<Item, Answer>(
  items: readonly Item[],
  limit: number,
  call: (item: Item) => Promise<Answer>,
): Promise<PromiseSettledResult<Answer>[]> {
  const answers: PromiseSettledResult<Answer>[] = [];
  const waiting = items.entries();
  const lane = async () => {
    for (const [index, item] of waiting) {
      [answers[index]] = await Promise.allSettled([call(item)]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return answers;
}
