import type { EventConfig } from '../configuration/schema/event-config.ts'
import type { WidgetOfType } from '../configuration/schema/widgets.ts'
import { listAvailableBooths } from './available-booths.ts'
import type { ExhibitorContext } from './context.ts'
import type { BoothPreferences } from './tables.ts'

/** Requested booth sizes and numbers, in order of preference. */
export type BoothRequest = Pick<BoothPreferences, 'sizes' | 'boothNumbers' | 'acceptOther'>

export const MAX_REQUESTED_BOOTH_SIZES = 3

/** The booth sizes that the booth widget of a registration form offers: the sizes in the widget's settings, or all sizes. */
export const listOfferedBoothSizes = ({ exhibitorConfig }: Pick<EventConfig, 'exhibitorConfig'>, { sizes }: WidgetOfType<'boothRequest'>) =>
  exhibitorConfig.boothSizes.filter(({ code }) => sizes.length === 0 || sizes.includes(code))

/**
 * Checks a booth request as it was entered. Sizes that the widget does not offer are left out. `request` is null if nothing is requested.
 * `unknownRanks` are the positions, from 1, of entered booth numbers that are not available.
 */
export async function checkBoothRequest(
  ctx: ExhibitorContext,
  config: Pick<EventConfig, 'exhibitorConfig'>,
  widget: WidgetOfType<'boothRequest'>,
  entered: BoothRequest,
): Promise<{ request: BoothRequest | null; unknownRanks: number[] }> {
  const offered = listOfferedBoothSizes(config, widget).map(({ code }) => code)
  const sizes = entered.sizes.filter((code) => offered.includes(code))
  const { booths } = await listAvailableBooths(ctx)
  const numbers = new Map(booths.map(({ number }) => [number.toLowerCase(), number]))
  const unknownRanks = entered.boothNumbers.flatMap((number, index) => (numbers.has(number.toLowerCase()) ? [] : [index + 1]))
  const boothNumbers = entered.boothNumbers.flatMap((number) => numbers.get(number.toLowerCase()) ?? [])
  if (sizes.length === 0 && boothNumbers.length === 0) return { request: null, unknownRanks }
  return { request: { sizes, boothNumbers, acceptOther: entered.acceptOther }, unknownRanks }
}
