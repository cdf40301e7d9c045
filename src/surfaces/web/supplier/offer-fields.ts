import type { RoomsNeededOnNight } from '../../../domains/briefs/answers.ts'
import { countRoomsOfNight } from '../../../domains/briefs/needs.ts'
import { normalizeMealName, getRfpQuantitiesForDates } from '../../../domains/bids/cost.ts'
import { formatShortDay } from '../../../kernel/language/format.ts'
import type { Translator } from '../../../kernel/language/translator.ts'
import type { SupplierQuestionnaireItem, RfpRow } from '../../../domains/rfps/tables.ts'

export const OFFER_SECTIONS = ['rooms', 'food', 'include', 'questions', 'terms'] as const
export type OfferSection = (typeof OFFER_SECTIONS)[number]

/** One field of the offer form. Its value is stored as typed and parsed when the offer is sent. */
export interface OfferField {
  name: string
  section: OfferSection
  label: string
  kind: 'amount' | 'percent' | 'count' | 'text' | 'longText' | 'day' | 'choice' | 'boolean' | 'number'
  /** The unit shown after the field, such as `days`. */
  unit?: string
  isRequired?: boolean
  question?: SupplierQuestionnaireItem
}

/** The fields for one room type in one night: the number of offered rooms, and their rates. */
export interface RoomNightFields {
  night: string
  roomType: 'standard' | 'suite'
  requested: number
  rooms: OfferField
  single: OfferField
  double: OfferField
}

export interface SupplierOfferForm {
  nights: RoomNightFields[]
  /** All fields of the offer outside the table of nights. */
  fields: OfferField[]
  meals: string[]
  functions: string[]
}

export const CANCELLATION_FEE_STEP_NUMBERS = [1, 2] as const

/** Builds the offer form for a date option from the needs of the RFP. */
export function buildOfferForm(rfp: RfpRow, dateOption: number, words: Translator): SupplierOfferForm {
  const { say } = words
  const { nights, meals } = getRfpQuantitiesForDates(rfp.requirements, rfp.date_options[0]!, rfp.date_options[dateOption]!)
  const kinds = [...new Map(meals.map(({ kind }) => [normalizeMealName(kind), kind])).values()]
  const functions = rfp.requirements.needSpace ? [...new Set((rfp.requirements.functions ?? []).map(({ name }) => name))] : []
  const amount = { kind: 'amount' as const, unit: rfp.currency }
  const percent = { kind: 'percent' as const, unit: '%' }
  const fields: OfferField[] = [
    ...(nights.length === 0
      ? []
      : ([
          { name: 'tax', section: 'rooms', label: say('bid.tax'), ...percent },
          { name: 'fee', section: 'rooms', label: say('bid.fee'), ...amount },
          { name: 'cutoff', section: 'rooms', label: say('bid.cutoff'), kind: 'count', unit: say('bid.days') },
        ] as OfferField[])),
    { name: 'rental', section: 'food', label: say('bid.rental'), ...amount },
    { name: 'minimum', section: 'food', label: say('bid.minimum'), ...amount },
    ...kinds.map((meal, index): OfferField => ({
      name: `menu-${index}`,
      section: 'food',
      label: say('bid.perPerson', { meal: capitalizeOfferLabel(meal) }),
      ...amount,
    })),
    { name: 'service', section: 'food', label: say('bid.service'), ...percent },
    { name: 'foodTax', section: 'food', label: say('bid.foodTax'), ...percent },
    { name: 'av', section: 'food', label: say('bid.av'), ...amount },
    { name: 'fees', section: 'food', label: say('bid.otherFees'), ...amount },
    ...functions.map((name, index): OfferField => ({
      name: `space-${index}`,
      section: 'food',
      label: say('bid.roomFor', { function: name }),
      kind: 'text',
    })),
    { name: 'comp', section: 'include', label: say('bid.comp'), kind: 'count', unit: say('bid.roomNights') },
    { name: 'rebate', section: 'include', label: say('bid.rebate'), ...amount },
    { name: 'wifi', section: 'include', label: say('bid.wifi'), ...amount },
    { name: 'note', section: 'include', label: say('bid.note'), kind: 'longText' },
    ...rfp.questions.map((question) => toQuestionField(question, rfp.currency)),
    { name: 'commit', section: 'terms', label: say('bid.commit'), ...percent },
    { name: 'valid', section: 'terms', label: say('bid.valid'), kind: 'day', isRequired: true },
    ...CANCELLATION_FEE_STEP_NUMBERS.flatMap((step): OfferField[] => [
      { name: `cancelDays-${step}`, section: 'terms', label: say('bid.cancelDays', { step }), kind: 'count', unit: say('bid.days') },
      { name: `cancelPercent-${step}`, section: 'terms', label: say('bid.cancelPercent', { step }), ...percent },
    ]),
    { name: 'deposit', section: 'terms', label: say('bid.deposit'), ...percent },
    { name: 'commission', section: 'terms', label: say('bid.commission'), ...percent },
  ]
  return { nights: nights.flatMap((need) => buildNights(need, words, rfp.currency)), fields, meals: kinds, functions }
}

export const capitalizeOfferLabel = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function toQuestionField(question: SupplierQuestionnaireItem, currency: string): OfferField {
  const kinds = { text: 'longText', number: 'number', boolean: 'boolean', choice: 'choice', money: 'amount' } as const
  return {
    name: `q-${question.code}`,
    section: 'questions',
    label: question.text,
    kind: kinds[question.type],
    isRequired: question.required,
    question,
    ...(question.type === 'money' ? { unit: currency } : {}),
  }
}

/** Builds the fields for standard rooms of each night, and for suites if the RFP asks for some. */
function buildNights(need: RoomsNeededOnNight, { say, locale }: Translator, currency: string): RoomNightFields[] {
  const suites = need.suite ?? 0
  const types = [
    { roomType: 'standard' as const, requested: countRoomsOfNight(need) - suites },
    { roomType: 'suite' as const, requested: suites },
  ]
  const night = formatShortDay(locale, need.night)
  return types
    .filter(({ requested }) => requested > 0)
    .map(({ roomType, requested }) => {
      const toField = (part: 'count' | 'single' | 'double'): OfferField => ({
        name: `${part}-${roomType}-${need.night}`,
        section: 'rooms',
        label: say('bid.fieldOf', { field: say(`bid.${part}`), night }),
        ...(part === 'count' ? { kind: 'count' } : { kind: 'amount', unit: currency }),
      })
      return { night: need.night, roomType, requested, rooms: toField('count'), single: toField('single'), double: toField('double') }
    })
}

/** Lists all fields of the form, in page order. */
export const listOfferFields = ({ nights, fields }: SupplierOfferForm): OfferField[] => [
  ...nights.flatMap(({ rooms, single, double }) => [rooms, single, double]),
  ...fields,
]
