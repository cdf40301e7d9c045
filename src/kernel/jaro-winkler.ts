/** How alike two words are, of 0 to 1; beginnings that agree count more, by up to four signs. Nothing is like nothing. */
export function jaroWinkler(a: string, b: string): number {
  const jaro = jaroOf(a, b)
  let start = 0
  while (start < Math.min(4, a.length, b.length) && a[start] === b[start]) start++
  return jaro + start * 0.1 * (1 - jaro)
}

function jaroOf(a: string, b: string): number {
  if (a === b) return a === '' ? 0 : 1
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1)
  const taken = new Uint8Array(b.length)
  const inA: string[] = []
  for (let i = 0; i < a.length; i++) {
    for (let j = Math.max(0, i - reach); j < Math.min(b.length, i + reach + 1); j++) {
      if (taken[j] || a[i] !== b[j]) continue
      taken[j] = 1
      inA.push(a[i]!)
      break
    }
  }
  if (inA.length === 0) return 0
  // Sign by sign as above: what is written with two of them is taken as two.
  const inB = b.split('').filter((_, j) => taken[j])
  const swapped = inA.filter((sign, at) => sign !== inB[at]).length / 2
  return (inA.length / a.length + inA.length / b.length + (inA.length - swapped) / inA.length) / 3
}
