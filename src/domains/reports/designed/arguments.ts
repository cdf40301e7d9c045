import type { z } from 'zod'
import { count, day, email, list, object, oneOf, timeOfDay } from '../../../kernel/args.ts'

export const PAPER_SIZES = ['A4', 'letter'] as const
export const PAGE_ORIENTATIONS = ['portrait', 'landscape'] as const
export const DELIVERY_FORMATS = ['csv', 'xlsx', 'pdf', 'html'] as const

export const ReportPageInput = object({ size: oneOf(PAPER_SIZES).default('A4'), orientation: oneOf(PAGE_ORIENTATIONS).default('portrait') })
export type ReportPageSetup = z.output<typeof ReportPageInput>

/** The delivery of a report as callers send it. Whether `weekday` and `monthDay` fit `every` is checked when the delivery is saved. */
export const DeliveryInput = object({
  recipients: list(email(), 50).min(1, 'at least one recipient'),
  format: oneOf(DELIVERY_FORMATS),
  every: oneOf(['day', 'week', 'month']),
  weekday: count(1, 7).optional(),
  monthDay: count(1, 31).optional(),
  at: timeOfDay(),
  until: day().optional(),
})
export type DeliverySettings = z.output<typeof DeliveryInput>
