import type { FieldError } from '../../kernel/errors.ts'
import { sessionBinding } from './at-event.ts'
import type { ProgramSession } from './program.ts'

type Timed = Pick<ProgramSession, 'startsAt' | 'endsAt'>

/** Where one ends another may begin. */
const overlaps = (a: Timed, b: Timed): boolean => a.startsAt < b.endsAt && b.startsAt < a.endsAt

interface Choosing {
  program: readonly ProgramSession[]
  /** All that is chosen, here or elsewhere. */
  chosen: readonly string[]
  /** What they had before: that may stay, although it has begun. */
  before?: ReadonlySet<string>
  /** Codes of products that they have, or are about to get. */
  products: ReadonlySet<string>
  nameOfProduct: (code: string) => string
  preventOverlap: boolean
  now: Date
}

/** What cannot be had of what was chosen, with why: the first reason of each. */
export function refusedOf({ program, chosen, before = new Set(), products, nameOfProduct, preventOverlap, now }: Choosing): FieldError[] {
  const wanted = new Set(chosen)
  const known = program.filter(({ id }) => wanted.has(id))
  const gone = chosen
    .filter((id) => !known.some((session) => session.id === id))
    .map((id) => ({ path: sessionBinding(id), message: 'sessionGone' }))
  const taken: ProgramSession[] = []
  // What they have stands already: only what comes in addition can be in its way.
  const inTurn = [...known.filter(({ id }) => before.has(id)), ...known.filter(({ id }) => !before.has(id))]
  const refused = inTurn.flatMap((session): FieldError[] => {
    const path = sessionBinding(session.id)
    const { title, productCode } = session
    const isNew = !before.has(session.id)
    if (productCode !== null && !products.has(productCode)) return [{ path, message: needsProduct(title, nameOfProduct(productCode)) }]
    if (session.startsAt <= now && isNew) return [{ path, message: `“${title}” has begun already` }]
    const other = preventOverlap && isNew ? taken.find((one) => overlaps(one, session)) : undefined
    if (other) return [{ path, message: `“${other.title}” and “${title}” are at the same time — choose one of them` }]
    taken.push(session)
    return []
  })
  return [...gone, ...refused]
}

const needsProduct = (title: string, product: string) => `“${title}” is only for those who have “${product}”`

export const fullNow = ({ id, title }: Pick<ProgramSession, 'id' | 'title'>): FieldError => ({
  path: sessionBinding(id),
  message: `“${title}” has just become full — choose it again to wait for a place, or choose another`,
})
