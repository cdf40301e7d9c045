import type { FieldError } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { toProductAnswerKey } from '../configuration/flow/collected-answers.ts'
import type { EvaluatedPage } from '../configuration/flow/walk.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { ADDRESS_PARTS, type Widget, type WidgetOfType } from '../configuration/schema/widgets.ts'
import { MAX_ALTERNATIVE_HOTELS } from '../housing/waitlist-alternatives.ts'
import { toProductInventoryKey } from '../inventory/units.ts'
import { findAnswerRules } from '../registration/answers.ts'
import { determineWaitlistedItem } from '../registration/waitlist/waitlist.ts'
import { toSessionAnswerKey } from '../sessions/context.ts'
import { readSubmittedGuest } from './guest-answers.ts'
import { readRoomFormFields, SHARE_ROOM_FORM_VALUE } from './sent-room.ts'
import { CHECKOUT_PAYMENT_METHODS, type CheckoutPaymentMethod } from './tables.ts'
import type { RegistrationProgress } from './progress.ts'

/** Returns all submitted values of a form field; empty if there are none. */
export type GetFormValues = (name: string) => readonly string[]

/** Names of form fields that are not a single answer. Every other form field has the binding (identifier) of its question as its name. */
export const NON_ANSWER_FORM_FIELDS = {
  /** The widgets that were on the page. Only their answers are read, so that a hidden widget does not clear its answers. */
  shown: '_shown',
  /** Inventory keys (such as `product:dinner`) that the page showed as sold out. */
  full: '_full',
  /** Conference sessions that the page offered for selection. */
  session: '_session',
  method: '_method',
  /** Whether to pay the full amount or only a part now, and the amount of that part. */
  part: '_part',
  partAmount: '_partAmount',
  again: (binding: string) => `${binding}.again`,
  other: (binding: string) => `${binding}.other`,
  /** The amount of a further donation. Donations that were made earlier are not included. */
  more: (binding: string) => `more.${binding}`,
  one: (widget: { id: string }) => `one.${widget.id}`,
  sharing: (field: string) => `sharing.${field}`,
  lookup: (widget: { id: string }, input: string) => `lookup.${widget.id}.${input}`,
  guest: (property: string) => `guest.${property}`,
  /** The selected room, `share` for a bed in another participant's room, or empty. */
  room: 'housing.room',
  roomAsked: 'housing.asked',
  /** The participant in whose room a bed is booked. */
  sharedBy: 'housing.sharedBy',
  /** Other hotels that the participant accepts if the chosen room stays sold out. */
  otherHotels: 'housing.otherHotels',
  boothSize: (rank: number) => `booth.size.${rank}`,
  boothNumber: (rank: number) => `booth.number.${rank}`,
  boothOther: 'booth.other',
  beds: (room: string) => `housing.beds.${room}`,
} as const

/** The values of a submitted page, by widget, before validation. */
export interface SubmittedPage {
  answers: Record<string, unknown>
  errors: FieldError[]
  /** Accepted policies by policy code, with the initials or signature if one was typed. */
  agreed: Map<string, { mode: WidgetOfType<'policy'>['mode']; written: string | null }>
  /** The sharing choice for each field; `default` is the organizer's setting. */
  sharing: { fields: Record<string, 'share' | 'restrict' | 'default'>; visible: boolean | null } | null
  method: CheckoutPaymentMethod | null
  /** Selected products that were shown as sold out, so the participant accepts the waiting list. */
  waits: readonly string[]
  /** Other hotels that the participant accepts if the chosen room stays sold out; null if the page did not ask for a room. */
  otherHotels: readonly string[] | null
}

interface Reading {
  progress: RegistrationProgress
  sent: GetFormValues
  into: SubmittedPage
}

export const listPageWidgets = ({ flow }: Pick<RegistrationProgress, 'flow'>, page: string): readonly Widget[] =>
  flow.pages.find(({ code }) => code === page)?.widgets ?? []

/** Reads only the widgets that were on the submitted form, because the page may have changed since. */
export function readSubmittedPage(progress: RegistrationProgress, page: EvaluatedPage, sent: GetFormValues): SubmittedPage {
  const into: SubmittedPage = { answers: {}, errors: [], agreed: new Map(), sharing: null, method: null, waits: [], otherHotels: null }
  const shown = new Set(sent(NON_ANSWER_FORM_FIELDS.shown))
  for (const widget of listPageWidgets(progress, page.code)) {
    if (shown.has(widget.id)) readWidget({ progress, sent, into }, widget)
  }
  const full = new Set(sent(NON_ANSWER_FORM_FIELDS.full))
  const chosen = Object.entries(into.answers).flatMap(([binding, value]) =>
    binding.startsWith('@product.') && Number(value) > 0 ? [toProductInventoryKey(binding.slice('@product.'.length))] : [],
  )
  // The form reports which items it showed as sold out, but only the configuration decides whether these have a waiting list.
  into.waits = chosen.filter((key) => full.has(key) && determineWaitlistedItem(progress.snapshot.config, progress.flow, key) !== null)
  return into
}

function readWidget(reading: Reading, widget: Widget): void {
  switch (widget.type) {
    case 'field':
      return readField(reading, widget)
    case 'name':
      return readTexts(reading, widget.parts)
    case 'address':
      return readTexts(reading, ADDRESS_PARTS)
    case 'products':
      return readProducts(reading, widget)
    case 'donation':
      return readDonation(reading, widget)
    case 'companyProfile':
    case 'submission':
      for (const code of widget.fields) readAnswer(reading, `@custom.${code}`)
      return
    case 'inviteCode':
      return readAnswer(reading, '@invite.code')
    case 'discountCode':
      return readAnswer(reading, '@discount.code')
    case 'group':
      if (widget.mode !== 'create') readAnswer(reading, '@group.code')
      if (widget.mode !== 'join') readAnswer(reading, '@group.name')
      return
    case 'policy':
      return readPolicy(reading, widget)
    case 'sharing':
      return readSharing(reading, widget)
    case 'guests':
      Object.assign(reading.into.answers, readSubmittedGuest(reading.progress.flow, reading.sent))
      return
    case 'sessions':
      return readSessions(reading)
    case 'housing':
      return readRoom(reading)
    case 'payment':
      reading.into.method = CHECKOUT_PAYMENT_METHODS.find((method) => method === reading.sent(NON_ANSWER_FORM_FIELDS.method)[0]) ?? null
      return
    default:
      // Pictures and lookups are submitted by separate forms; the remaining widgets have no input.
      return
  }
}

function readRoom({ progress, sent, into }: Reading): void {
  // Outside the booking period the form has no room fields, so an existing room must not be cleared.
  if (sent(NON_ANSWER_FORM_FIELDS.roomAsked).length === 0) return
  const roomAnswers = readRoomFormFields(sent, progress.answers)
  Object.assign(into.answers, roomAnswers)
  if (sent(NON_ANSWER_FORM_FIELDS.room).at(-1) === SHARE_ROOM_FORM_VALUE && roomAnswers['@housing.shareWith'] === null)
    into.errors.push(toFieldError(NON_ANSWER_FORM_FIELDS.sharedBy, 'error.holder'))
  const others = sent(NON_ANSWER_FORM_FIELDS.otherHotels).filter((id) => id !== roomAnswers['@housing.hotelId'])
  into.otherHotels = roomAnswers['@housing.waitlist'] === true ? [...new Set(others)] : []
  if (into.otherHotels.length > MAX_ALTERNATIVE_HOTELS)
    into.errors.push(toFieldError(NON_ANSWER_FORM_FIELDS.otherHotels, 'error.chooseAtMost', { limit: String(MAX_ALTERNATIVE_HOTELS) }))
}

const readTexts = (reading: Reading, parts: readonly string[]) => {
  for (const part of parts) readAnswer(reading, `@participant.${part}`)
}

function readField(reading: Reading, { binding, readOnly, confirm }: WidgetOfType<'field'>): void {
  // The email address is verified at sign-in and cannot be changed here.
  if (readOnly || binding === '@participant.email') return
  readAnswer(reading, binding)
  const { sent, into } = reading
  if (
    confirm &&
    typeof into.answers[binding] === 'string' &&
    sent(NON_ANSWER_FORM_FIELDS.again(binding))[0]?.trim() !== String(into.answers[binding]).trim()
  ) {
    delete into.answers[binding]
    into.errors.push(toFieldError(NON_ANSWER_FORM_FIELDS.again(binding), 'error.again'))
  }
}

function readAnswer({ progress, sent, into }: Reading, binding: string): void {
  const answer = readSubmittedAnswer(progress.snapshot.config, binding, sent)
  if (answer !== undefined) into.answers[binding] = answer
}

/**
 * Converts form values to an answer. Invalid numbers stay text, so that validation reports them. Returns undefined for files, which are
 * not sent as text.
 */
export function readSubmittedAnswer(config: EventConfig, binding: string, sent: GetFormValues): unknown {
  const rules = findAnswerRules(config, binding)
  if (rules === null || rules.type === 'file') return undefined
  const values = sent(binding)
  const text = values.at(-1)?.trim() ?? ''
  if (rules.type === 'multiChoice') return values.filter((value) => value !== '')
  if (rules.type === 'boolean') return text === '' ? null : text === 'true'
  return rules.type === 'number' ? parseNumber(text) : text
}

const parseNumber = (text: string) => {
  const plain = /^-?\d+(?:[.,]\d+)?$/.test(text) ? text.replace(',', '.') : null
  return plain === null ? text : Number(plain)
}

function readProducts({ progress, sent, into }: Reading, widget: WidgetOfType<'products'>): void {
  const offered = progress.walk.pages.flatMap(({ widgets }) =>
    widgets.filter(({ id }) => id === widget.id).flatMap(({ products }) => products),
  )
  const [one] = sent(NON_ANSWER_FORM_FIELDS.one(widget))
  for (const { code } of offered) {
    const binding = toProductAnswerKey(code)
    if (widget.selection === 'multiple') into.answers[binding] = parseNumber(sent(binding).at(-1)?.trim() || '0')
    else into.answers[binding] = one === code ? Math.max(1, Number(progress.answers[binding] ?? 1)) : 0
  }
}

function readDonation({ sent, into }: Reading, { product }: WidgetOfType<'donation'>): void {
  const binding = toProductAnswerKey(product)
  into.answers[binding] = readSubmittedAmount(sent, binding)
}

/** Reads the amount of a donation (a suggested or a custom one) from the form; 0 if the field is empty. */
export function readSubmittedAmount(sent: GetFormValues, name: string): string | 0 {
  const chosen = sent(name)[0] ?? ''
  const amount = chosen === 'other' ? (sent(NON_ANSWER_FORM_FIELDS.other(name))[0] ?? '') : chosen
  return amount.trim() === '' ? 0 : amount.trim().replace(',', '.')
}

const RECORD_ID = /^[0-9a-f]{24}$/

/** Reads the selected conference sessions. Browsers do not send unchecked boxes, so only sessions that the page listed are read. */
function readSessions({ sent, into }: Reading): void {
  for (const id of sent(NON_ANSWER_FORM_FIELDS.session).filter((one) => RECORD_ID.test(one))) {
    into.answers[toSessionAnswerKey(id)] = sent(toSessionAnswerKey(id)).includes('true') ? true : null
  }
}

const MAX_SIGNATURE_LENGTH = 200

function readPolicy({ sent, into }: Reading, { policy, mode }: WidgetOfType<'policy'>): void {
  const binding = `@policy.${policy}`
  const written = sent(binding)[0]?.trim().slice(0, MAX_SIGNATURE_LENGTH) ?? ''
  into.answers[binding] = written !== ''
  if (written !== '') into.agreed.set(policy, { mode, written: mode === 'checkbox' ? null : written })
}

function readSharing({ sent, into }: Reading, { fields, askVisible }: WidgetOfType<'sharing'>): void {
  const chosen: Record<string, 'share' | 'restrict' | 'default'> = {}
  for (const field of fields) {
    const [choice] = sent(NON_ANSWER_FORM_FIELDS.sharing(field))
    chosen[field] = choice === 'share' || choice === 'restrict' ? choice : 'default'
  }
  into.sharing = {
    fields: chosen,
    visible: askVisible ? sent(NON_ANSWER_FORM_FIELDS.sharing(PARTICIPANT_VISIBILITY_FIELD))[0] === 'share' : null,
  }
}

/** The form field that decides whether other participants can see this participant. */
export const PARTICIPANT_VISIBILITY_FIELD = 'visibleToParticipants'
