import type { FieldError } from '../../kernel/errors.ts'
import { productBinding } from '../configuration/flow/collects.ts'
import type { WalkedPage } from '../configuration/flow/walk.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { ADDRESS_PARTS, type Widget, type WidgetOf } from '../configuration/schema/widgets.ts'
import { productKey } from '../inventory/places.ts'
import { rulesOfBinding } from '../registration/answers.ts'
import { waitsFor } from '../registration/waitlist.ts'
import { sessionBinding } from '../sessions/at-event.ts'
import { sentGuest } from './guest-answers.ts'
import { sentRoom, SHARES } from './sent-room.ts'
import { METHODS, type Method } from './tables.ts'
import type { Progress } from './progress.ts'

/** All values that a form sent under a name; none when it has no such field. */
export type Sent = (name: string) => readonly string[]

/** Names of what is no answer, or not one answer alone. Everything else is sent under its binding. */
export const FIELDS = {
  /** Of every widget that was on the page: what a page did not show, its form does not clear. */
  shown: '_shown',
  /** Of every place that was full when it was shown. */
  full: '_full',
  /** Of every session that could be chosen. */
  session: '_session',
  method: '_method',
  /** Whether all is paid now or a part of it, and how much. */
  part: '_part',
  partAmount: '_partAmount',
  again: (binding: string) => `${binding}.again`,
  other: (binding: string) => `${binding}.other`,
  /** On top of what was given before. */
  more: (binding: string) => `more.${binding}`,
  one: (widget: { id: string }) => `one.${widget.id}`,
  sharing: (field: string) => `sharing.${field}`,
  lookup: (widget: { id: string }, input: string) => `lookup.${widget.id}.${input}`,
  guest: (property: string) => `guest.${property}`,
  /** The room out of all that are offered, `share` for a bed in another's, or nothing. */
  room: 'housing.room',
  roomAsked: 'housing.asked',
  /** Whose room that is. */
  sharedBy: 'housing.sharedBy',
  boothSize: (rank: number) => `booth.size.${rank}`,
  boothNumber: (rank: number) => `booth.number.${rank}`,
  boothOther: 'booth.other',
  beds: (room: string) => `housing.beds.${room}`,
} as const

/** What a form says, widget by widget, before anything of it is judged. */
export interface SentPage {
  answers: Record<string, unknown>
  errors: FieldError[]
  /** By policy, in the person's own words where they had to write. */
  agreed: Map<string, { mode: WidgetOf<'policy'>['mode']; written: string | null }>
  /** Field by field: share, restrict, or as the organizer says. */
  sharing: { fields: Record<string, 'share' | 'restrict' | 'default'>; visible: boolean | null } | null
  method: Method | null
  /** Products that were chosen although they were shown to be full. */
  waits: readonly string[]
}

interface Reading {
  progress: Progress
  sent: Sent
  into: SentPage
}

export const widgetsOn = ({ flow }: Pick<Progress, 'flow'>, page: string): readonly Widget[] =>
  flow.pages.find(({ code }) => code === page)?.widgets ?? []

/** Only what the form had on it is read, whatever else is on the page by now. */
export function readSentPage(progress: Progress, page: WalkedPage, sent: Sent): SentPage {
  const into: SentPage = { answers: {}, errors: [], agreed: new Map(), sharing: null, method: null, waits: [] }
  const shown = new Set(sent(FIELDS.shown))
  for (const widget of widgetsOn(progress, page.code)) {
    if (shown.has(widget.id)) readWidget({ progress, sent, into }, widget)
  }
  const full = new Set(sent(FIELDS.full))
  const chosen = Object.entries(into.answers).flatMap(([binding, value]) =>
    binding.startsWith('@product.') && Number(value) > 0 ? [productKey(binding.slice('@product.'.length))] : [],
  )
  // The page says what was full; whether it can be waited for is not the page's to say.
  into.waits = chosen.filter((key) => full.has(key) && waitsFor(progress.scene.config, progress.flow, key) !== null)
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
      Object.assign(reading.into.answers, sentGuest(reading.progress.flow, reading.sent))
      return
    case 'sessions':
      return readSessions(reading)
    case 'housing':
      return readRoom(reading)
    case 'payment':
      reading.into.method = METHODS.find((method) => method === reading.sent(FIELDS.method)[0]) ?? null
      return
    default:
      // Pictures and lookups have forms of their own; the rest is to be read.
      return
  }
}

function readRoom({ progress, sent, into }: Reading): void {
  // Before and after the time for it nothing was asked, so nothing is given up.
  if (sent(FIELDS.roomAsked).length === 0) return
  const said = sentRoom(sent, progress.answers)
  Object.assign(into.answers, said)
  if (sent(FIELDS.room).at(-1) === SHARES && said['@housing.shareWith'] === null)
    into.errors.push({ path: FIELDS.sharedBy, message: 'holder' })
}

const readTexts = (reading: Reading, parts: readonly string[]) => {
  for (const part of parts) readAnswer(reading, `@participant.${part}`)
}

function readField(reading: Reading, { binding, readOnly, confirm }: WidgetOf<'field'>): void {
  // The address is what the person signed in with, and is changed where they prove to read the new one.
  if (readOnly || binding === '@participant.email') return
  readAnswer(reading, binding)
  const { sent, into } = reading
  if (
    confirm &&
    typeof into.answers[binding] === 'string' &&
    sent(FIELDS.again(binding))[0]?.trim() !== String(into.answers[binding]).trim()
  ) {
    delete into.answers[binding]
    into.errors.push({ path: FIELDS.again(binding), message: 'again' })
  }
}

function readAnswer({ progress, sent, into }: Reading, binding: string): void {
  const answer = sentAnswer(progress.scene.config, binding, sent)
  if (answer !== undefined) into.answers[binding] = answer
}

/** A value in the form that answers are kept in; what is no number stays as it was typed, to be told so. Undefined for what no form of text can say. */
export function sentAnswer(config: EventConfig, binding: string, sent: Sent): unknown {
  const rules = rulesOfBinding(config, binding)
  if (rules === null || rules.type === 'file') return undefined
  const values = sent(binding)
  const text = values.at(-1)?.trim() ?? ''
  if (rules.type === 'multiChoice') return values.filter((value) => value !== '')
  if (rules.type === 'boolean') return text === '' ? null : text === 'true'
  return rules.type === 'number' ? asNumber(text) : text
}

const asNumber = (text: string) => {
  const plain = /^-?\d+(?:[.,]\d+)?$/.test(text) ? text.replace(',', '.') : null
  return plain === null ? text : Number(plain)
}

function readProducts({ progress, sent, into }: Reading, widget: WidgetOf<'products'>): void {
  const offered = progress.walk.pages.flatMap(({ widgets }) =>
    widgets.filter(({ id }) => id === widget.id).flatMap(({ products }) => products),
  )
  const [one] = sent(FIELDS.one(widget))
  for (const { code } of offered) {
    const binding = productBinding(code)
    if (widget.selection === 'multiple') into.answers[binding] = asNumber(sent(binding).at(-1)?.trim() || '0')
    else into.answers[binding] = one === code ? Math.max(1, Number(progress.answers[binding] ?? 1)) : 0
  }
}

function readDonation({ sent, into }: Reading, { product }: WidgetOf<'donation'>): void {
  const binding = productBinding(product)
  into.answers[binding] = givenAmount(sent, binding)
}

/** One of the amounts that were suggested, or another; nothing is no gift. */
export function givenAmount(sent: Sent, name: string): string | 0 {
  const chosen = sent(name)[0] ?? ''
  const amount = chosen === 'other' ? (sent(FIELDS.other(name))[0] ?? '') : chosen
  return amount.trim() === '' ? 0 : amount.trim().replace(',', '.')
}

const RECORD_ID = /^[0-9a-f]{24}$/

/** Only what the list showed: a box that was left empty is not sent. */
function readSessions({ sent, into }: Reading): void {
  for (const id of sent(FIELDS.session).filter((one) => RECORD_ID.test(one))) {
    into.answers[sessionBinding(id)] = sent(sessionBinding(id)).includes('true') ? true : null
  }
}

const MOST_WRITTEN = 200

function readPolicy({ sent, into }: Reading, { policy, mode }: WidgetOf<'policy'>): void {
  const binding = `@policy.${policy}`
  const written = sent(binding)[0]?.trim().slice(0, MOST_WRITTEN) ?? ''
  into.answers[binding] = written !== ''
  if (written !== '') into.agreed.set(policy, { mode, written: mode === 'checkbox' ? null : written })
}

function readSharing({ sent, into }: Reading, { fields, askVisible }: WidgetOf<'sharing'>): void {
  const chosen: Record<string, 'share' | 'restrict' | 'default'> = {}
  for (const field of fields) {
    const [choice] = sent(FIELDS.sharing(field))
    chosen[field] = choice === 'share' || choice === 'restrict' ? choice : 'default'
  }
  into.sharing = { fields: chosen, visible: askVisible ? sent(FIELDS.sharing(VISIBLE))[0] === 'share' : null }
}

/** Whether other participants may be told of this person. */
export const VISIBLE = 'visibleToParticipants'
