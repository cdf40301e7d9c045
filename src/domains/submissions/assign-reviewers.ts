import type { CooperativeTask } from '../../kernel/cooperative.ts'

/** A submission that needs reviewers. */
export interface SubmissionNeedingReviewers {
  id: string
  /** The number of reviewers to add. */
  wanted: number
  trackCode: string
  /** The ids of reviewers who must not review the submission, because of a conflict of interest or because they already review it. */
  excluded: ReadonlySet<string>
}

export interface Reviewer {
  id: string
  tracks: ReadonlySet<string>
  /** The number of submissions that the reviewer is already assigned to. */
  load: number
}

export interface ReviewerAssignmentResult {
  pairs: { submissionId: string; reviewerId: string }[]
  /** The ids of submissions that got fewer reviewers than wanted. */
  unassignable: string[]
}

/** Submissions with the same track, number of reviewers and excluded reviewers. They share one node of the flow network. */
interface Group {
  tasks: SubmissionNeedingReviewers[]
  wanted: number
  trackCode: string
  excluded: ReadonlySet<string>
}

interface Arc {
  to: number
  capacity: number
  cost: number
  /** The index of the reverse arc in the flow network. */
  back: number
}

/**
 * Assigns reviewers by min-cost flow. As many reviews as possible are assigned; among those solutions the load is as even as conflicts
 * allow, and then most reviews are in the reviewers' own tracks. Equal solutions are chosen by the order of ids.
 */
export function* assignReviewers(
  tasks: readonly SubmissionNeedingReviewers[],
  reviewers: readonly Reviewer[],
): CooperativeTask<ReviewerAssignmentResult> {
  const people = reviewers.toSorted(byId)
  const groups = groupTasks(tasks)
  const given = yield* solveFlow(groups, people)
  const pairs: ReviewerAssignmentResult['pairs'] = []
  const unassignable: string[] = []
  for (const [index, { tasks: alike, wanted }] of groups.entries()) {
    const lists = distribute(alike.length, given[index]!)
    for (const [at, { id }] of alike.entries()) {
      for (const reviewer of lists[at]!) pairs.push({ submissionId: id, reviewerId: people[reviewer]!.id })
      if (lists[at]!.length < wanted) unassignable.push(id)
    }
  }
  return { pairs, unassignable: unassignable.toSorted() }
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

function groupTasks(tasks: readonly SubmissionNeedingReviewers[]): Group[] {
  const alike = Map.groupBy(
    tasks.filter(({ wanted }) => wanted > 0).toSorted(byId),
    ({ wanted, trackCode, excluded }) => `${wanted} ${trackCode} ${[...excluded].toSorted().join(' ')}`,
  )
  return [...alike.values()].map((same) => ({ ...same[0]!, tasks: same }))
}

/**
 * Assigns distinct reviewers to every submission of a group. No reviewer has more reviews than the group has submissions, so assigning the
 * reviews round-robin never gives one submission the same reviewer twice.
 */
function distribute(size: number, reviews: readonly { reviewer: number; count: number }[]): number[][] {
  const lists: number[][] = Array.from({ length: size }, () => [])
  let next = 0
  for (const { reviewer, count } of reviews) for (let i = 0; i < count; i++) lists[next++ % size]!.push(reviewer)
  return lists
}

/** Solves the flow network and returns, for each group of similar submissions, the number of reviews by each reviewer. */
function* solveFlow(groups: readonly Group[], people: readonly Reviewer[]): CooperativeTask<{ reviewer: number; count: number }[][]> {
  const wanted = groups.reduce((sum, { tasks, wanted: each }) => sum + tasks.length * each, 0)
  // One more review by a reviewer costs more than all reviews outside the reviewers' tracks together, so an even load has precedence.
  const step = wanted + 1
  const source = groups.length + people.length
  const graph: Arc[][] = Array.from({ length: source + 2 }, () => [])
  const sink = source + 1
  const connect = (from: number, to: number, capacity: number, cost: number) => {
    graph[from]!.push({ to, capacity, cost, back: graph[to]!.length })
    graph[to]!.push({ to: from, capacity: 0, cost: -cost, back: graph[from]!.length - 1 })
  }
  for (const [index, { tasks, wanted: each, trackCode, excluded }] of groups.entries()) {
    connect(source, index, tasks.length * each, 0)
    for (const [at, { id, tracks }] of people.entries())
      if (!excluded.has(id)) connect(index, groups.length + at, tasks.length, tracks.has(trackCode) ? 0 : 1)
  }
  const loads = people.map(({ load }) => load)
  // In the flow network, each further review by a reviewer costs more. Its arc is added when the arc of the previous review is used.
  for (const at of people.keys()) connect(groups.length + at, sink, 1, loads[at]! * step)
  for (let left = wanted; left > 0; left--) {
    const path = findShortestPath(graph, source, sink)
    if (path === null) break
    for (const arc of path) {
      arc.capacity--
      graph[arc.to]![arc.back]!.capacity++
    }
    const last = graph[path.at(-1)!.to]![path.at(-1)!.back]!.to - groups.length
    connect(groups.length + last, sink, 1, ++loads[last]! * step)
    yield
  }
  return groups.map((_, index) =>
    graph[index]!.flatMap((arc) => {
      const count = arc.to >= groups.length && arc.to < source ? graph[arc.to]![arc.back]!.capacity : 0
      return count > 0 ? [{ reviewer: arc.to - groups.length, count }] : []
    }),
  )
}

/** Finds the cheapest path with free capacity, by Bellman-Ford with a queue, because reverse arcs have negative costs. */
function findShortestPath(graph: readonly (readonly Arc[])[], source: number, sink: number): Arc[] | null {
  const distance = new Float64Array(graph.length).fill(Infinity)
  const reachedBy: (Arc | undefined)[] = []
  const waiting = new Uint8Array(graph.length)
  distance[source] = 0
  const queue = [source]
  for (let head = 0; head < queue.length; head++) {
    const from = queue[head]!
    waiting[from] = 0
    for (const arc of graph[from]!) {
      const length = distance[from]! + arc.cost
      if (arc.capacity === 0 || length >= distance[arc.to]!) continue
      distance[arc.to] = length
      reachedBy[arc.to] = arc
      if (waiting[arc.to] === 0) {
        waiting[arc.to] = 1
        queue.push(arc.to)
      }
    }
  }
  if (distance[sink] === Infinity) return null
  const path: Arc[] = []
  for (let at = sink; at !== source;) {
    const arc = reachedBy[at]!
    path.unshift(arc)
    at = graph[arc.to]![arc.back]!.to
  }
  return path
}
