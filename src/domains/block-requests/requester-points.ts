import { readCompanyPoints } from '../exhibitors/points/read.ts'
import type { EventScope } from '../housing/context.ts'
import { readBlockRequestSettings } from './requests.ts'

/** Reads the priority points of all companies of the event, by company id. */
export async function readRequesterPoints(ctx: EventScope): Promise<Map<string, number>> {
  const { config } = await readBlockRequestSettings(ctx)
  const points = await readCompanyPoints(ctx, config, 'all')
  return new Map([...points].map(([companyId, { total }]) => [companyId, total]))
}
