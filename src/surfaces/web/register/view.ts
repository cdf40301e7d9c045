import type { RegistrationQuote } from '../../../domains/checkout/quote.ts'
import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import type { RoomSearch } from '../../../domains/checkout/room-search.ts'
import type { GetFormValues } from '../../../domains/checkout/sent-page.ts'
import type { UploadedFile } from '../../../domains/checkout/uploads.ts'
import type { CheckoutPaymentMethod } from '../../../domains/checkout/tables.ts'
import type { EventConfig, Flow } from '../../../domains/configuration/schema/event-config.ts'
import type { AvailableBooth, PlanPicture } from '../../../domains/exhibitors/available-booths.ts'
import type { ProgramSession } from '../../../domains/sessions/program.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { formatMoney } from '../../../kernel/language/format.ts'
import { toMoney } from '../../../kernel/money.ts'
import type { EventSite } from '../event/event-site.ts'

/** The data that a page of the registration form shows. */
export interface RegistrationPageView {
  site: EventSite
  /** The flow, translated for the visitor. Conditions and rules are evaluated with the untranslated flow in `progress`. */
  flow: Flow
  config: EventConfig
  progress: RegistrationProgress
  quote: RegistrationQuote
  /** Returns the value of a field: the submitted value if the form was refused, otherwise the saved one. */
  valueOf: GetFormValues
  errors: readonly FieldError[]
  /** Read-only fields by binding (such as `@custom.diet`), with the reason. */
  readOnlyReasons: ReadonlyMap<string, string>
  /** Remaining seats by inventory key (such as `product:workshop`), for items with limited capacity. */
  left: ReadonlyMap<string, number>
  files: ReadonlyMap<string, UploadedFile>
  pictures: ReadonlyMap<string, string>
  methods: readonly CheckoutPaymentMethod[]
  /** The conference sessions of the programme. Empty if the flow has no sessions widget. */
  program: readonly ProgramSession[]
  /** The participant's enrolments in conference sessions, by session id. */
  enrolled: ReadonlyMap<string, 'enrolled' | 'waitlisted'>
  /** The number of the guest whose form is open, where the first guest is 1; null if no form is open. */
  guest: number | null
  /** The id of the widget whose own button was pressed, such as "Search rooms". This widget is shown expanded. */
  pressedWidget: string | null
  /** Room search result, if the page has a housing widget. */
  rooms: RoomSearch | null
  /** Names of the hotels that the participant accepts if the chosen room stays sold out. */
  otherHotels: readonly string[]
  /** Floor plans and free booths, if the page has a booth widget. */
  booths: { plans: readonly PlanPicture[]; free: readonly AvailableBooth[] } | null
}

/** Returns the URL that a widget's own button leads to. The page opens again at the widget, also without scripts. */
export const buildPathToWidget = (id: string): string => `?at=${encodeURIComponent(id)}#w-${encodeURIComponent(id)}`

export const findErrorMessage = ({ errors }: Pick<RegistrationPageView, 'errors'>, name: string): string | undefined =>
  errors.find(({ path }) => path === name)?.message

export const formatMinorAmount = ({ words, facts }: EventSite, minor: number): string =>
  formatMoney(words.locale, toMoney(minor, facts.currency))

/** Path segments of built-in pages. A page of the flow whose code is one of them gets a prefix in its path. */
const RESERVED_SEGMENTS = new Set(['summary', 'pay', 'done', 'invited', 'calendar.ics'])

export const toPagePathSegment = (code: string) => (RESERVED_SEGMENTS.has(code) || code.startsWith('page-') ? `page-${code}` : code)
export const toPageCode = (segment: string) => (segment.startsWith('page-') ? segment.slice('page-'.length) : segment)
