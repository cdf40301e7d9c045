/** Names and values of an urlencoded text, read once; null when there are more than allowed, which is counted before anything is made of them. */
export function formPairs(text: string, most: number): [name: string, value: string][] | null {
  let pairs = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) if (++pairs > most) return null
  return [...new URLSearchParams(text)]
}
