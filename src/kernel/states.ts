import { AppError } from './errors.ts'

export interface States<S extends string> {
  readonly initial: S
  readonly all: readonly S[]
  /** States that nothing leaves. */
  readonly terminal: readonly S[]
  can: (from: S, to: S) => boolean
  /** Gives back `to`, or refuses with what is possible instead. */
  move: (from: S, to: S) => S
}

interface Definition<S extends string> {
  /** As it reads after "This": `block request`. */
  noun: string
  initial: NoInfer<S>
  moves: Record<S, readonly NoInfer<S>[]>
  /** `conflict` where two people acting at once is how it usually happens. */
  refusal?: 'conflict' | 'precondition_failed'
}

/** The life of one kind of record. A status column changes only through `move`; staying in a state is a move too and must be listed. */
export function states<S extends string>({ noun, initial, moves, refusal = 'precondition_failed' }: Definition<S>): States<S> {
  const all = Object.keys(moves) as S[]
  const next = (from: S): readonly S[] => (Object.hasOwn(moves, from) ? moves[from] : [])
  const can = (from: S, to: S) => next(from).includes(to)

  return {
    initial,
    all,
    terminal: all.filter((state) => next(state).length === 0),
    can,
    move(from, to) {
      if (can(from, to)) return to
      throw new AppError(
        refusal,
        from === to ? `This ${noun} is already ${to}` : `This ${noun} is ${from} and cannot become ${to} — ${way(next(from))}`,
      )
    },
  }
}

function way(next: readonly string[]): string {
  if (next.length === 0) return 'nothing follows that state'
  return `it can only become ${next.join(', ').replace(/, ([^,]*)$/, ' or $1')}`
}
