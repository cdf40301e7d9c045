import { getCurrencyDecimals, toMoney } from '../../../kernel/money.ts'
import { addDays } from '../../../kernel/time.ts'
import type { AwardedOffer } from '../sources.ts'
import { groupRoomsByRates } from '../rates.ts'
import type { ClauseVariables } from '../tables.ts'
import { ATTRITION_COUNTING_TEXTS, RESALE_CREDIT_TEXTS } from '../terms.ts'
import type { MULTI_LINE_PLACEHOLDERS } from './clauses.ts'

type LineName = (typeof MULTI_LINE_PLACEHOLDERS)[number]

/** The values of a clause's variables. `lines` are texts with variables; `isAbsent` is true if the supplier's offer has no such term. */
export interface ClauseContent {
  vars: ClauseVariables
  lines?: Partial<Record<LineName, string[]>>
  isAbsent?: boolean
}

/** The supplier's city, region and country, which determine the law and the courts of the contract. */
export interface SupplierJurisdiction {
  city?: string | undefined
  region?: string | undefined
  country?: string | undefined
}

const ROOMING_LIST_DAYS = 14
const NAME_DEADLINE_DAYS = 7
const PAYMENT_DAYS = 30

/**
 * Derives the values of every clause of the library from the supplier's offer, the requirements of the RFP and the award. Unknown values
 * are null.
 */
export function deriveClauseContents(source: AwardedOffer, place: SupplierJurisdiction): Record<string, ClauseContent> {
  const { content } = source
  const amount = (minor: number) => formatAmount(minor, content.currency)
  return {
    roomBlock: describeRooms(source),
    rates: describeRates(source, amount),
    cutoff: { vars: deriveCutoff(source) },
    attrition: { vars: deriveAttrition(source) },
    cancellation: describeCancellation(source),
    deposits: describeDeposits(source, amount),
    foodMinimum: {
      vars: {
        minimum: amount(content.fbMinimum),
        servicePercent: content.servicePercent,
        fbTaxPercent: content.fbTaxPercent,
        guaranteeDays: 3,
        menuRisePercent: 3,
      },
    },
    functionSpace: describeSpace(source, amount),
    concessions: describeConcessions(source, amount),
    comps: describeComps(source),
    commission: {
      vars: { commissionPercent: content.commissionPercent ?? null, commissionDays: 30 },
      isAbsent: !content.commissionPercent,
    },
    masterAccount: { vars: { paymentDays: PAYMENT_DAYS } },
    forceMajeure: { vars: { absentPercent: 40, noticeDays: 10 } },
    relocation: { vars: { maxKm: 2 } },
    construction: { vars: { noticeDays: 60 } },
    ownership: { vars: { noticeDays: 30 } },
    indemnity: { vars: {} },
    insurance: { vars: { coverage: amount(1_000_000 * 10 ** getCurrencyDecimals(content.currency)), certificateDays: 30 } },
    accessibility: { vars: { noticeDays: 14 } },
    dataPrivacyPci: { vars: { breachHours: 48 } },
    audit: { vars: { reportDays: 14 } },
    disputes: { vars: deriveJurisdiction(place) },
  }
}

export function formatAmount(minor: number, currency: string): string {
  const money = toMoney(minor, currency)
  return `${money.amount} ${money.currency}`
}

function describeRooms({ line, dates }: AwardedOffer): ClauseContent {
  const nights = line.share.filter(({ rooms }) => rooms > 0)
  const numbered = nights.flatMap(({ night, rooms }, index) => [
    [`night${index + 1}`, night],
    [`night${index + 1}Rooms`, rooms],
  ])
  return {
    vars: {
      arrival: dates.arrival,
      departure: dates.departure,
      roomNights: nights.reduce((sum, { rooms }) => sum + rooms, 0),
      ...Object.fromEntries(numbered),
    },
    lines: { nights: nights.map((_, index) => `{{night${index + 1}}}: {{night${index + 1}Rooms}} rooms`) },
    isAbsent: nights.length === 0,
  }
}

function describeRates({ content }: AwardedOffer, amount: (minor: number) => string): ClauseContent {
  const groups = groupRoomsByRates(content.rooms.filter(({ rooms }) => rooms > 0))
  const isUniform = new Set(groups.map(({ roomType }) => roomType)).size === groups.length
  const vars: ClauseVariables = { taxPercent: content.taxPercent, feePerNight: amount(content.feePerNight), shoulderDays: 3 }
  const lines = groups.map(({ roomType, nights, rates }, index) => {
    const n = index + 1
    vars[`rate${n}Type`] = roomType
    vars[`rate${n}Single`] = amount(rates.single)
    vars[`rate${n}Double`] = amount(rates.double ?? rates.single)
    if (isUniform) return `{{rate${n}Type}}: {{rate${n}Single}} single use, {{rate${n}Double}} double use`
    vars[`rate${n}From`] = nights[0]!
    vars[`rate${n}Until`] = nights.at(-1)!
    return `{{rate${n}Type}}, nights of {{rate${n}From}} to {{rate${n}Until}}: {{rate${n}Single}} single use, {{rate${n}Double}} double use`
  })
  return { vars, lines: { rateLines: lines }, isAbsent: groups.length === 0 }
}

function deriveCutoff({ content, requirements, dates }: AwardedOffer): ClauseVariables {
  const cutoffDays = content.cutoffDays ?? requirements.cutoffDaysWanted ?? null
  return {
    cutoffDays,
    cutoffOn: cutoffDays === null ? null : addDays(dates.arrival, -cutoffDays),
    roomingListOn: addDays(dates.arrival, -ROOMING_LIST_DAYS),
    nameDeadlineOn: addDays(dates.arrival, -NAME_DEADLINE_DAYS),
  }
}

function deriveAttrition({ content: { attrition }, requirements }: AwardedOffer): ClauseVariables {
  const isNone = attrition?.method === 'none'
  return {
    commitPercent: isNone ? 0 : (attrition?.commitPercent ?? requirements.attritionWanted ?? null),
    profitPercent: attrition?.profitPercent ?? 75,
    counting: attrition?.method === 'nightly' ? ATTRITION_COUNTING_TEXTS.nightly : ATTRITION_COUNTING_TEXTS.cumulative,
    resaleCredit: attrition?.creditResold === false ? RESALE_CREDIT_TEXTS.none : RESALE_CREDIT_TEXTS.full,
  }
}

/** Describes the cancellation terms. If the offer has no cancellation steps, the values of the first step are missing. */
function describeCancellation({ content }: AwardedOffer): ClauseContent {
  const steps = content.cancellation.toSorted((a, b) => b.daysBefore - a.daysBefore)
  const shown: { daysBefore: number | null; percent: number | null }[] = steps.length > 0 ? steps : [{ daysBefore: null, percent: null }]
  const vars: ClauseVariables = { paymentDays: PAYMENT_DAYS }
  const lines = shown.map(({ daysBefore, percent }, index) => {
    vars[`step${index + 1}Days`] = daysBefore
    vars[`step${index + 1}Percent`] = percent
    return `From {{step${index + 1}Days}} days before arrival: {{step${index + 1}Percent}} percent of the committed amount.`
  })
  return { vars, lines: { steps: lines } }
}

function describeDeposits({ content }: AwardedOffer, amount: (minor: number) => string): ClauseContent {
  const vars: ClauseVariables = { refundDays: PAYMENT_DAYS }
  const lines = content.deposits.map((deposit, index) => {
    const n = index + 1
    const isAmount = deposit.amount !== undefined
    vars[isAmount ? `deposit${n}Amount` : `deposit${n}Percent`] = isAmount ? amount(deposit.amount!) : (deposit.percent ?? null)
    const what = isAmount ? `{{deposit${n}Amount}}` : `{{deposit${n}Percent}} percent of the committed amount`
    if (deposit.onSigning || deposit.daysBefore === undefined) return `${what} on signing`
    vars[`deposit${n}Days`] = deposit.daysBefore
    return `${what}, due {{deposit${n}Days}} days before arrival`
  })
  return { vars, lines: { depositLines: lines }, isAbsent: lines.length === 0 }
}

function describeSpace({ content }: AwardedOffer, amount: (minor: number) => string): ClauseContent {
  const vars: ClauseVariables = { rental: amount(content.rental) }
  const lines = content.space.map((space, index) => {
    vars[`space${index + 1}Function`] = space.function
    vars[`space${index + 1}Room`] = space.room
    return `{{space${index + 1}Function}}: {{space${index + 1}Room}}`
  })
  return { vars, lines: { spaces: lines }, isAbsent: lines.length === 0 }
}

function describeComps({ content }: AwardedOffer): ClauseContent {
  const compPer = content.concessions.find(({ kind }) => kind === 'compRooms')?.per ?? null
  return { vars: { compPer }, isAbsent: compPer === null }
}

const CONCESSION_TEXTS = { wifi: 'Wi-Fi in all rooms', credit: 'A credit to the master account', other: 'Further services' } as const

/** Describes the concessions of the offer, except complimentary rooms, which have their own clause. */
function describeConcessions({ content }: AwardedOffer, amount: (minor: number) => string): ClauseContent {
  const vars: ClauseVariables = {}
  const lines = content.concessions.flatMap(({ kind, value, text }, index) => {
    if (kind === 'compRooms') return []
    if (kind === 'rebate') {
      vars['rebate'] = value === undefined ? null : amount(value)
      return ['A rebate of {{rebate}} for each room night used']
    }
    vars[`concession${index + 1}`] = text ?? CONCESSION_TEXTS[kind]
    if (value === undefined) return [`{{concession${index + 1}}}`]
    vars[`concession${index + 1}Value`] = amount(value)
    return [`{{concession${index + 1}}}, worth {{concession${index + 1}Value}}`]
  })
  return { vars, lines: { concessionLines: lines }, isAbsent: lines.length === 0 }
}

const COUNTRY_NAMES = new Intl.DisplayNames(['en'], { type: 'region' })

function deriveJurisdiction({ city, region, country }: SupplierJurisdiction): ClauseVariables {
  const state = country !== undefined && /^[A-Z]{2}$/.test(country) ? COUNTRY_NAMES.of(country) : country
  return { law: state ?? null, court: city ?? region ?? state ?? null, negotiationDays: 30 }
}
