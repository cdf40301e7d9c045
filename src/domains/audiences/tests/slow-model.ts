/** The result of a second, slow implementation of the clustering, which works person by person with fractions as plain numbers. */
export interface SlowResult {
  k: number
  sizes: number[]
  /** The cluster of each person. */
  clusters: number[]
}

type Person = readonly string[]

const differ = (a: Person, b: Person, weights: readonly number[]) =>
  a.reduce((sum, level, f) => sum + (level === b[f] ? 0 : weights[f]!), 0)
const before = (a: Person, b: Person) => {
  const at = a.findIndex((level, f) => level !== b[f])
  return at >= 0 && a[at]! < b[at]!
}
const near = (a: number, b: number) => Math.abs(a - b) < 1e-9

function chooseModes(people: readonly Person[], weights: readonly number[], k: number): Person[] {
  const density = (p: Person) =>
    p.reduce((sum, level, f) => sum + people.filter((other) => other[f] === level).length / people.length, 0) / p.length
  const modes: Person[] = []
  while (modes.length < k) {
    let best: { person: Person; score: number } | null = null
    for (const person of people) {
      const score = density(person) * (modes.length === 0 ? 1 : Math.min(...modes.map((mode) => differ(person, mode, weights))))
      if (score <= 0) continue
      if (!best || (score > best.score && !near(score, best.score)) || (near(score, best.score) && before(person, best.person)))
        best = { person, score }
    }
    if (!best) break
    modes.push(best.person)
  }
  return modes
}

function mostFrequent(levels: readonly string[]): string {
  const known = [...new Set(levels)].toSorted((a, b) => (a < b ? -1 : 1))
  const times = (level: string) => levels.filter((one) => one === level).length
  return known.reduce((best, level) => (times(level) > times(best) ? level : best))
}

function assign(people: readonly Person[], initial: readonly Person[], weights: readonly number[]) {
  let modes = [...initial]
  let clusters: number[] = []
  for (let round = 0; round < 50; round++) {
    const next = people.map((person) => {
      const distances = modes.map((mode) => differ(person, mode, weights))
      return distances.indexOf(Math.min(...distances))
    })
    const moved = next.some((cluster, i) => cluster !== clusters[i])
    clusters = next
    if (!moved) break
    modes = modes.map((mode, cluster) => {
      const own = people.filter((_, i) => clusters[i] === cluster)
      return own.length === 0 ? mode : mode.map((_, f) => mostFrequent(own.map((person) => person[f]!)))
    })
  }
  return { modes, clusters }
}

export function clusterSlowly(
  people: readonly Person[],
  weights: readonly number[],
  { k: forced, minSize = 10 }: { k?: number; minSize?: number } = {},
): SlowResult | null {
  if (people.length < 50) return null
  const all = chooseModes(people, weights, forced ?? 8)
  let best: (SlowResult & { silhouette: number }) | null = null
  for (let k = forced === undefined ? 2 : all.length; k <= all.length && all.length > 1; k++) {
    const { modes, clusters } = assign(people, all.slice(0, k), weights)
    const sizes = modes.map((_, cluster) => clusters.filter((one) => one === cluster).length)
    const silhouettes = people.map((person, i) => {
      const a = differ(person, modes[clusters[i]!]!, weights)
      const b = Math.min(...modes.filter((_, cluster) => cluster !== clusters[i]).map((mode) => differ(person, mode, weights)))
      return a === b ? 0 : (b - a) / Math.max(a, b)
    })
    const silhouette = silhouettes.reduce((sum, one) => sum + one, 0) / people.length
    const floor = Math.max(minSize, people.length * 0.02)
    if (forced === undefined && Math.min(...sizes) < floor) continue
    if (!best || (silhouette > best.silhouette && !near(silhouette, best.silhouette))) best = { k, sizes, clusters, silhouette }
  }
  return best
}
