/** Similarity of two words from 0 to 1. A common prefix of up to four characters raises the score. Two empty words score 0. */
export function computeJaroWinkler(a: string, b: string): number {
  const jaro = jaroOf(a, b)
  let commonPrefix = 0
  while (commonPrefix < Math.min(4, a.length, b.length) && a[commonPrefix] === b[commonPrefix]) commonPrefix++
  return jaro + commonPrefix * 0.1 * (1 - jaro)
}

function jaroOf(a: string, b: string): number {
  if (a === b) return a === '' ? 0 : 1
  const matchWindow = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1)
  const matched = new Uint8Array(b.length)
  const inA: string[] = []
  for (let i = 0; i < a.length; i++) {
    for (let j = Math.max(0, i - matchWindow); j < Math.min(b.length, i + matchWindow + 1); j++) {
      if (matched[j] || a[i] !== b[j]) continue
      matched[j] = 1
      inA.push(a[i]!)
      break
    }
  }
  if (inA.length === 0) return 0
  // The word is split into UTF-16 code units, because the indexes in `matched` count code units.
  const inB = b.split('').filter((_, j) => matched[j])
  const swapped = inA.filter((character, at) => character !== inB[at]).length / 2
  return (inA.length / a.length + inA.length / b.length + (inA.length - swapped) / inA.length) / 3
}
