import { z } from 'zod'
import { toOneLine, code, count, day, flag, id, list, money, name, object, oneOf, text } from '../../../kernel/args.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { type Money, toMinorUnits } from '../../../kernel/money.ts'
import type { HousingContext } from '../context.ts'
import { type EventHotel, getRoomType } from '../find-hotel.ts'
import { nightSelectionArguments, parseSelectedNights } from '../nights-argument.ts'
import { HOTEL_SALE_STATES } from '../states.ts'
import type { OriginalHousingContract, HousingContractTerms, NightRates } from './original.ts'

const percent = () => z.number().min(0, 'at least 0').max(100, 'at most 100')

export const RoomTypeArgument = object({
  code: code(),
  name: name(120),
  beds: list(text(40), 10).optional(),
  maxOccupancy: count(1, 8),
  accessible: flag().optional(),
  smoking: flag().optional(),
})

const Rates = object({ single: money(), double: money().optional(), triple: money().optional(), quad: money().optional() })

const MAX_ROOMS = 100_000

const NightsArgument = object({
  roomTypeCode: code(),
  ...nightSelectionArguments,
  contracted: count(0, MAX_ROOMS).optional(),
  delta: z.int('a whole number').min(-MAX_ROOMS).max(MAX_ROOMS).optional(),
  rates: toOneLine(Rates, 'single, double?, triple?, quad?').optional(),
})

const TermsArgument = object({
  cutoffOn: day().optional(),
  cutoffAction: oneOf(['return', 'keep']).optional(),
  roomingListDueOn: day().optional(),
  nameDeadlineOn: day().optional(),
  reviewDates: list(object({ on: day(), maxReducePercent: percent() }), 12).optional(),
  attrition: object({
    method: oneOf(['none', 'cumulative', 'nightly']).optional(),
    commitPercent: percent().optional(),
    profitPercent: percent().optional(),
    creditResold: flag().optional(),
  }).optional(),
  compPer: count(1, 10_000).optional(),
  compBasis: oneOf(['cumulative', 'nightly']).optional(),
  rebatePerRoomNight: money().optional(),
  commissionPercent: percent().optional(),
})

/** The contract terms that an addendum can remove. */
export const CLEARABLE_CONTRACT_TERMS = [
  'cutoffOn',
  'roomingListDueOn',
  'nameDeadlineOn',
  'reviewDates',
  'compPer',
  'rebatePerRoomNight',
  'commissionPercent',
] as const
export type ClearableContractTerm = (typeof CLEARABLE_CONTRACT_TERMS)[number]

const TERMS_LINE = 'cutoffOn, cutoffAction, reviewDates[], attrition { method, commitPercent }, compPer ...'

/** Arguments for the original contract of a hotel. Also an argument of add_hotel_from_catalog. */
export const originalContractArguments = {
  nights: list(
    toOneLine(NightsArgument, 'roomTypeCode, from and until or nights[], contracted or delta, rates { single, double? }'),
    500,
  ).optional(),
  terms: toOneLine(TermsArgument, TERMS_LINE).optional(),
  status: oneOf(['tentative', 'definite', 'cancelled']).optional(),
  signedOn: day().optional(),
  fileId: id('file').optional(),
}

/** Arguments for the fields of a hotel that its contract determines, such as taxes and fees. */
export const hotelTermArguments = {
  sellStatus: oneOf(HOTEL_SALE_STATES.all).optional(),
  taxPercent: percent().optional(),
  feePerNight: money().optional(),
  feeTaxed: flag().optional(),
  afterCutoff: oneOf(['closed', 'waitlist']).optional(),
  latitude: z.number().min(-90).max(90).optional(),
  longitude: z.number().min(-180).max(180).optional(),
}

export const FinalPickupArgument = object({
  night: day(),
  pickup: count(0, MAX_ROOMS),
  resold: count(0, MAX_ROOMS).optional(),
  auditCredit: count(0, MAX_ROOMS).optional(),
})

export type OriginalContractInput = z.output<z.ZodObject<typeof originalContractArguments>>
export type HotelTermInput = z.output<z.ZodObject<typeof hotelTermArguments>>
export type RoomTypeInput = z.output<typeof RoomTypeArgument>

/** Converts an amount of 0 or more in the event's currency to minor units. */
function readAmount({ event }: Pick<HousingContext, 'event'>, { amount, currency }: Money, path: string): number {
  if (currency.trim().toUpperCase() !== event.currency)
    throw invalidArguments([{ path: `${path}.currency`, message: `this event uses ${event.currency}, not ${cleanText(currency, 20)}` }])
  const minor = toMinorUnits(amount.trim(), event.currency, `${path}.amount`)
  if (minor < 0) throw invalidArguments([{ path: `${path}.amount`, message: 'must be 0 or more' }])
  return minor
}

/** A change of one room night: its new number of contracted rooms or the difference to the current one, and the rates that change. */
export interface NightChange {
  roomTypeCode: string
  night: string
  contracted?: number | undefined
  delta?: number | undefined
  rates?: NightRates | undefined
}

/** Reads the room nights that a tool call changes. Throws if a night is given twice or its room type does not exist. */
export function readNightChanges(ctx: HousingContext, hotel: EventHotel, given: OriginalContractInput['nights'] = []): NightChange[] {
  const seen = new Set<string>()
  return given.flatMap(({ roomTypeCode, contracted, delta, rates, ...nights }, index) => {
    const path = `nights.${index}`
    const type = getRoomType(hotel, roomTypeCode)
    if (contracted !== undefined && delta !== undefined)
      throw invalidArguments([{ path: `${path}.delta`, message: 'give either contracted or delta' }])
    if (contracted === undefined && delta === undefined && rates === undefined)
      throw invalidArguments([{ path: `${path}.contracted`, message: 'give contracted, delta or rates' }])
    const tiers = rates && readRates(ctx, rates, `${path}.rates`)
    return parseSelectedNights(nights, path).map((night) => {
      if (seen.has(`${type.code} ${night}`)) throw invalidArguments([{ path, message: `${type.code} ${night} is given twice` }])
      seen.add(`${type.code} ${night}`)
      return { roomTypeCode: type.code, night, contracted, delta, rates: tiers }
    })
  })
}

function readRates(ctx: HousingContext, { single, double, triple, quad }: z.output<typeof Rates>, path: string): NightRates {
  return {
    single: readAmount(ctx, single, `${path}.single`),
    ...(double ? { double: readAmount(ctx, double, `${path}.double`) } : {}),
    ...(triple ? { triple: readAmount(ctx, triple, `${path}.triple`) } : {}),
    ...(quad ? { quad: readAmount(ctx, quad, `${path}.quad`) } : {}),
  }
}

/** Converts the contract terms in a tool call's arguments to the values that are stored. */
export function readContractTermArguments(ctx: HousingContext, terms: NonNullable<OriginalContractInput['terms']>): HousingContractTerms {
  const { rebatePerRoomNight, commissionPercent, reviewDates, ...same } = terms
  return {
    ...same,
    ...(reviewDates ? { reviewDates: reviewDates.toSorted((a, b) => a.on.localeCompare(b.on)) } : {}),
    ...(rebatePerRoomNight ? { rebatePerRoomNight: readAmount(ctx, rebatePerRoomNight, 'terms.rebatePerRoomNight') } : {}),
    ...(commissionPercent === undefined ? {} : { commissionPercent: String(commissionPercent) }),
  }
}

/** Converts the taxes, fees and other hotel fields in a tool call's arguments to the values that are stored. */
export function readHotelTerms(ctx: HousingContext, { taxPercent, feePerNight, ...same }: HotelTermInput) {
  return {
    ...same,
    ...(taxPercent === undefined ? {} : { taxPercent: String(taxPercent) }),
    ...(feePerNight ? { feePerNight: readAmount(ctx, feePerNight, 'feePerNight') } : {}),
  }
}

/** Reads the arguments of a hotel's first contract. Unlike in an amendment, every night needs a number of rooms and rates. */
export function readOriginalContract(
  ctx: HousingContext,
  hotel: EventHotel,
  given: OriginalContractInput & { reason?: string | undefined },
): OriginalHousingContract {
  const nights = readNightChanges(ctx, hotel, given.nights).map(({ roomTypeCode, night, contracted, rates }) => {
    const missing = contracted === undefined ? 'contracted' : 'rates'
    if (contracted === undefined || rates === undefined)
      throw invalidArguments([{ path: 'nights', message: `${roomTypeCode} ${night} needs ${missing}` }])
    return { roomTypeCode, night, contracted, rates }
  })
  const terms = readContractTermArguments(ctx, given.terms ?? {})
  const { status, signedOn, fileId, reason } = given
  return {
    status,
    signedOn,
    fileId,
    reason,
    nights,
    terms: terms.attrition ? { ...terms, attrition: { method: 'none', ...terms.attrition } } : terms,
  }
}
