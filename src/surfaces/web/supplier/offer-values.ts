import type { RfpResponseContent } from '../../../domains/bids/tables.ts'
import type { RfpRow } from '../../../domains/rfps/tables.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { formatDateRange } from '../../../kernel/language/format.ts'
import type { Translator } from '../../../kernel/language/translator.ts'
import { getCurrencyDecimals, extractAmountFromText, toMinorUnits, toMoney } from '../../../kernel/money.ts'
import { isCalendarDay } from '../../../kernel/time.ts'
import { CANCELLATION_FEE_STEP_NUMBERS, listOfferFields, type OfferField, type SupplierOfferForm } from './offer-fields.ts'

export type OfferFormValues = Readonly<Record<string, string>>

type Parsed = number | string | boolean | null
const INVALID = Symbol('invalid value')

const AMOUNT = /^\d[\d.,' \u00a0\u202f]*$/
const MAX_COUNT = 100_000

/** Parses the value of a field; null if it is empty. */
function parseValue({ kind, question }: OfferField, typed: string, currency: string): Parsed | typeof INVALID {
  const value = typed.trim()
  if (value === '') return null
  switch (kind) {
    case 'amount': {
      const amount = AMOUNT.test(value) ? extractAmountFromText(value, getCurrencyDecimals(currency)) : null
      return amount === null || amount.length > 13 ? INVALID : toMinorUnits(amount, currency)
    }
    case 'percent': {
      const percent = Number(value.replace(/\s*%$/, '').replace(',', '.'))
      return Number.isFinite(percent) && percent >= 0 && percent <= 100 ? percent : INVALID
    }
    case 'count':
      return /^\d{1,6}$/.test(value) && Number(value) <= MAX_COUNT ? Number(value) : INVALID
    case 'number': {
      const number = Number(value.replace(',', '.'))
      return Number.isFinite(number) ? number : INVALID
    }
    case 'day':
      return isCalendarDay(value) ? value : INVALID
    case 'boolean':
      return value === 'yes' || value === 'no' ? value === 'yes' : INVALID
    case 'choice':
      return question!.choices!.includes(value) ? value : INVALID
    default:
      return value.slice(0, 4000)
  }
}

const ERRORS = { amount: 'bid.error.amount', percent: 'bid.error.percent', count: 'bid.error.number', number: 'bid.error.number' } as const

function explain({ kind, label }: OfferField, { decision_on }: RfpRow, { say, locale }: Translator): string {
  if (kind === 'day') return say('bid.error.valid', { day: formatDateRange(locale, decision_on, decision_on) })
  const key = kind in ERRORS ? ERRORS[kind as keyof typeof ERRORS] : 'bid.error.required'
  // A label that ends with a question mark gets no colon.
  return label.endsWith('?') ? `${label} ${say(key)}` : say('label.value', { label, value: say(key) })
}

/** Reads the offer from the form. Invalid values count as empty, so that totals of the rest can be shown. */
export function parseOfferForm(form: SupplierOfferForm, typed: OfferFormValues, rfp: RfpRow, words: Translator) {
  const { say } = words
  const errors: FieldError[] = []
  const values = new Map<string, Parsed>()
  for (const field of listOfferFields(form)) {
    const value = parseValue(field, typed[field.name] ?? '', rfp.currency)
    values.set(field.name, value === INVALID ? null : value)
    if (value === INVALID || (value === null && field.isRequired)) errors.push({ path: field.name, message: explain(field, rfp, words) })
    else if (field.kind === 'day' && value !== null && String(value) < rfp.decision_on)
      errors.push({ path: field.name, message: explain(field, rfp, words) })
  }
  const content = toContent(form, values, rfp)
  const isWrong = (name: string) => errors.some(({ path }) => path === name)
  for (const { rooms, single } of form.nights)
    if (values.get(rooms.name) && values.get(single.name) === null && !isWrong(single.name))
      errors.push({ path: single.name, message: say('label.value', { label: single.label, value: say('bid.error.rate') }) })
  const [first] = form.nights
  if (first && content.rooms.length === 0 && !isWrong(first.rooms.name) && !errors.some(({ path }) => path.startsWith('single-')))
    errors.push({ path: first.rooms.name, message: say('bid.error.rooms') })
  for (const step of CANCELLATION_FEE_STEP_NUMBERS) {
    const [days, percent] = [values.get(`cancelDays-${step}`), values.get(`cancelPercent-${step}`)]
    const empty = days === null ? `cancelDays-${step}` : `cancelPercent-${step}`
    if ((days === null) !== (percent === null) && !isWrong(empty)) errors.push({ path: empty, message: say('bid.error.pair') })
  }
  return { content, errors }
}

function toContent(form: SupplierOfferForm, values: ReadonlyMap<string, Parsed>, rfp: RfpRow): RfpResponseContent {
  const number = (name: string) => (values.get(name) ?? null) as number | null
  const text = (name: string) => (values.get(name) ?? null) as string | null
  const [comp, rebate, wifi, note] = [number('comp'), number('rebate'), number('wifi'), text('note')]
  const [commit, cutoff, deposit, commission] = [number('commit'), number('cutoff'), number('deposit'), number('commission')]
  return {
    currency: rfp.currency,
    rooms: form.nights.flatMap(({ night, roomType, rooms, single, double }) => {
      const [offered, rate, doubleRate] = [number(rooms.name), number(single.name), number(double.name)]
      if (!offered || rate === null) return []
      return [{ night, roomType, rooms: offered, rates: { single: rate, ...(doubleRate === null ? {} : { double: doubleRate }) } }]
    }),
    taxPercent: number('tax') ?? 0,
    feePerNight: number('fee') ?? 0,
    rental: number('rental') ?? 0,
    otherFees: number('fees') ? [{ name: 'Other mandatory fees', amount: number('fees')!, mandatory: true }] : [],
    fbMinimum: number('minimum') ?? 0,
    menu: form.meals.flatMap((meal, index) => {
      const price = number(`menu-${index}`)
      return price === null ? [] : [{ meal, price }]
    }),
    servicePercent: number('service') ?? 0,
    fbTaxPercent: number('foodTax') ?? 0,
    avEstimate: number('av') ?? 0,
    concessions: [
      ...(comp ? [{ kind: 'compRooms' as const, per: comp }] : []),
      ...(rebate ? [{ kind: 'rebate' as const, value: rebate }] : []),
      ...(wifi ? [{ kind: 'wifi' as const, value: wifi }] : []),
    ],
    ...(commission === null ? {} : { commissionPercent: commission }),
    ...(commit === null ? {} : { attrition: { method: 'cumulative' as const, commitPercent: commit } }),
    ...(cutoff === null ? {} : { cutoffDays: cutoff }),
    cancellation: CANCELLATION_FEE_STEP_NUMBERS.flatMap((step) => {
      const [daysBefore, percent] = [number(`cancelDays-${step}`), number(`cancelPercent-${step}`)]
      return daysBefore === null || percent === null ? [] : [{ daysBefore, percent }]
    }),
    deposits: deposit ? [{ onSigning: true, percent: deposit }] : [],
    answers: Object.fromEntries(
      rfp.questions.flatMap(({ code }) => {
        const answer = values.get(`q-${code}`) ?? null
        return answer === null ? [] : [[code, answer]]
      }),
    ),
    space: form.functions.flatMap((name, index) => {
      const room = text(`space-${index}`)
      return room === null ? [] : [{ function: name, room: room.slice(0, 200) }]
    }),
    ...(text('valid') === null ? {} : { validUntil: text('valid')! }),
    ...(note === null ? {} : { note }),
    files: [],
  }
}

/** Converts an offer that was sent before to form values. */
export function toOfferFormValues(form: SupplierOfferForm, content: RfpResponseContent, rfp: RfpRow): Record<string, string> {
  const amount = (minor: number | undefined) => (minor ? toMoney(minor, content.currency).amount : '')
  const number = (value: number | undefined) => (value ? String(value) : '')
  const concession = (kind: string) => content.concessions.find((one) => one.kind === kind)
  return {
    ...Object.fromEntries(
      form.nights.flatMap(({ night, roomType, rooms, single, double }) => {
        const offered = content.rooms.find((one) => one.night === night && one.roomType === roomType)
        return [
          [rooms.name, number(offered?.rooms)],
          [single.name, amount(offered?.rates.single)],
          [double.name, amount(offered?.rates.double)],
        ]
      }),
    ),
    tax: number(content.taxPercent),
    fee: amount(content.feePerNight),
    cutoff: number(content.cutoffDays),
    rental: amount(content.rental),
    minimum: amount(content.fbMinimum),
    ...Object.fromEntries(form.meals.map((meal, index) => [`menu-${index}`, amount(content.menu.find((one) => one.meal === meal)?.price)])),
    service: number(content.servicePercent),
    foodTax: number(content.fbTaxPercent),
    av: amount(content.avEstimate),
    fees: amount(content.otherFees[0]?.amount),
    ...Object.fromEntries(
      form.functions.map((name, index) => [`space-${index}`, content.space.find((one) => one.function === name)?.room ?? '']),
    ),
    comp: number(concession('compRooms')?.per),
    rebate: amount(concession('rebate')?.value),
    wifi: amount(concession('wifi')?.value),
    note: content.note ?? '',
    ...Object.fromEntries(rfp.questions.map((question) => [`q-${question.code}`, showAnswer(question.type, content, question.code)])),
    commit: number(content.attrition?.commitPercent),
    valid: content.validUntil ?? '',
    ...Object.fromEntries(
      CANCELLATION_FEE_STEP_NUMBERS.flatMap((step) => [
        [`cancelDays-${step}`, number(content.cancellation[step - 1]?.daysBefore)],
        [`cancelPercent-${step}`, number(content.cancellation[step - 1]?.percent)],
      ]),
    ),
    deposit: number(content.deposits.find(({ onSigning }) => onSigning)?.percent),
    commission: number(content.commissionPercent),
  }
}

function showAnswer(type: string, { answers, currency }: RfpResponseContent, code: string): string {
  const answer = answers[code]
  if (answer === undefined) return ''
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  return type === 'money' ? toMoney(Number(answer), currency).amount : String(answer)
}
