import type { FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { toSessionAnswerKey } from './context.ts'
import type { ProgramSession } from './program.ts'

type TimeRange = Pick<ProgramSession, 'startsAt' | 'endsAt'>

/** Whether two half-open time ranges overlap: a session may start when another ends. */
const overlaps = (a: TimeRange, b: TimeRange): boolean => a.startsAt < b.endsAt && b.startsAt < a.endsAt

interface SessionChoice {
  program: readonly ProgramSession[]
  /** The ids of all conference sessions that the participant chose, on this page or elsewhere in the registration. */
  chosen: readonly string[]
  /** The ids of the conference sessions that the participant is enrolled in, which may be kept even if they have begun. */
  before?: ReadonlySet<string>
  /** The codes of products that the participant has or is about to buy. */
  products: ReadonlySet<string>
  nameOfProduct: (code: string) => string
  preventOverlap: boolean
  now: Date
}

/** Returns the first problem of each chosen session that cannot be booked. */
export function validateSessionChoice({
  program,
  chosen,
  before = new Set(),
  products,
  nameOfProduct,
  preventOverlap,
  now,
}: SessionChoice): FieldError[] {
  const wanted = new Set(chosen)
  const known = program.filter(({ id }) => wanted.has(id))
  const missing = chosen
    .filter((id) => !known.some((session) => session.id === id))
    .map((id) => toFieldError(toSessionAnswerKey(id), REMOVED_SESSION_ERROR_KEY))
  const taken: ProgramSession[] = []
  // Sessions that the participant is already enrolled in come first, so that a clash is reported for the new session.
  const ordered = [...known.filter(({ id }) => before.has(id)), ...known.filter(({ id }) => !before.has(id))]
  const refused = ordered.flatMap((session): FieldError[] => {
    const path = toSessionAnswerKey(session.id)
    const { title, productCode } = session
    const isNew = !before.has(session.id)
    if (productCode !== null && !products.has(productCode)) return [needsProductError(path, title, nameOfProduct(productCode))]
    if (session.startsAt <= now && isNew)
      return [{ path, message: `“${title}” has begun already`, reason: { key: 'error.sessionBegun', values: { limit: title } } }]
    const other = preventOverlap && isNew ? taken.find((one) => overlaps(one, session)) : undefined
    if (other) {
      const reason = { key: 'error.sessionsClash' as const, values: { limit: other.title, other: title } }
      return [{ path, message: `“${other.title}” and “${title}” are at the same time. Choose one of them`, reason }]
    }
    taken.push(session)
    return []
  })
  return [...missing, ...refused]
}

/** Translation key of the error message for a conference session that was cancelled or unscheduled. */
export const REMOVED_SESSION_ERROR_KEY = 'error.sessionGone'

const needsProductError = (path: string, title: string, product: string): FieldError => ({
  path,
  message: `“${title}” is only for those who have “${product}”`,
  reason: { key: 'error.sessionNeeds', values: { limit: title, other: product } },
})

export const createSessionFullError = ({ id, title }: Pick<ProgramSession, 'id' | 'title'>): FieldError => ({
  path: toSessionAnswerKey(id),
  message: `“${title}” has just become full. Choose it again to join the waiting list, or choose another`,
  reason: { key: 'error.sessionFull', values: { limit: title } },
})
