import type { Quote } from '../../../domains/checkout/quote.ts'
import type { Progress } from '../../../domains/checkout/progress.ts'
import type { RoomSearch } from '../../../domains/checkout/room-search.ts'
import type { Sent } from '../../../domains/checkout/sent-page.ts'
import type { KeptFile } from '../../../domains/checkout/uploads.ts'
import type { Method } from '../../../domains/checkout/tables.ts'
import type { EventConfig, Flow } from '../../../domains/configuration/schema/event-config.ts'
import type { FreeBooth, PlanPicture } from '../../../domains/exhibitors/booths-for-applying.ts'
import type { ProgramSession } from '../../../domains/sessions/program.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { toMoney } from '../../../kernel/money.ts'
import type { Place } from '../event/place.ts'

/** What the widgets of a page are drawn from. */
export interface View {
  place: Place
  /** In the visitor's language; decisions are made by the progress. */
  flow: Flow
  config: EventConfig
  progress: Progress
  quote: Quote
  /** What its fields hold: as they were sent, or as they are kept. */
  valueOf: Sent
  errors: readonly FieldError[]
  /** What is shown and not asked, by binding, with why. */
  given: ReadonlyMap<string, string>
  /** How many are left of what has a limit, by key. */
  left: ReadonlyMap<string, number>
  files: ReadonlyMap<string, KeptFile>
  pictures: ReadonlyMap<string, string>
  methods: readonly Method[]
  /** What is on, where the flow asks what they want to hear of it. */
  program: readonly ProgramSession[]
  /** What of it they have already, by id. */
  enrolled: ReadonlyMap<string, 'enrolled' | 'waitlisted'>
  /** The guest who is being filled in: a number, or none. */
  guest: number | null
  /** What is offered of hotel rooms, where the page asks for them. */
  rooms: RoomSearch | null
  /** The plans and what is free on them, where the page asks for booths. */
  booths: { plans: readonly PlanPicture[]; free: readonly FreeBooth[] } | null
}

export const errorAt = ({ errors }: Pick<View, 'errors'>, name: string): string | undefined =>
  errors.find(({ path }) => path === name)?.message

export const moneyText = ({ words, facts }: Place, minor: number): string => formatMoney(words.locale, toMoney(minor, facts.currency))

/** Pages of a flow by their code, beside those that every registration has. */
const RESERVED = new Set(['summary', 'pay', 'done', 'invited', 'calendar.ics'])

export const pageSegment = (code: string) => (RESERVED.has(code) || code.startsWith('page-') ? `page-${code}` : code)
export const codeOfSegment = (segment: string) => (segment.startsWith('page-') ? segment.slice('page-'.length) : segment)
