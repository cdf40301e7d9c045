import { readCompanyPriorityPoints } from '../exhibitors/points/read.ts'
import type { HousingContext } from '../housing/context.ts'
import { readBlockRequestSettings } from './requests.ts'

/** Reads the priority points of all companies of the event, by company id. */
export async function readRequesterPriorityPoints(ctx: HousingContext): Promise<Map<string, number>> {
  const { config } = await readBlockRequestSettings(ctx)
  const points = await readCompanyPriorityPoints(ctx, config, 'all')
  return new Map([...points].map(([companyId, { total }]) => [companyId, total]))
}
