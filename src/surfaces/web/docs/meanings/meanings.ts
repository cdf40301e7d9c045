import { CLIENT_ARGUMENT_DOCS } from './arguments/clients.ts'
import { EVENT_ARGUMENT_DOCS } from './arguments/events.ts'
import { FEEDBACK_ARGUMENT_DOCS } from './arguments/feedback.ts'
import { PARTICIPANT_ARGUMENT_DOCS } from './arguments/participants.ts'
import { REGISTRATION_ARGUMENT_DOCS } from './arguments/registration.ts'
import { FLOOR_PLAN_ARGUMENT_DOCS } from './arguments/floor-plans.ts'
import { AUDIENCE_ARGUMENT_DOCS } from './arguments/audiences.ts'
import { FLOOR_SCAN_ARGUMENT_DOCS } from './arguments/floor-scans.ts'
import { LAYOUT_ARGUMENT_DOCS } from './arguments/layouts.ts'
import { BOOTH_ARGUMENT_DOCS } from './arguments/booths.ts'
import { APPLICATION_ARGUMENT_DOCS } from './arguments/applications.ts'
import { PLACEMENT_ARGUMENT_DOCS } from './arguments/placements.ts'
import { COMPANY_ARGUMENT_DOCS } from './arguments/companies.ts'
import { ONSITE_ARGUMENT_DOCS } from './arguments/onsite.ts'
import { PRESENCE_ARGUMENT_DOCS } from './arguments/presence.ts'
import { SESSION_ARGUMENT_DOCS } from './arguments/sessions.ts'
import { DESIGNED_REPORT_ARGUMENT_DOCS } from './arguments/designed-reports.ts'
import { REPORT_FILE_ARGUMENT_DOCS } from './arguments/report-files.ts'
import { CHART_ARGUMENT_DOCS } from './arguments/charts.ts'
import { REPORT_QUERY_ARGUMENT_DOCS } from './arguments/reports-query.ts'
import { HOUSING_SUMMARY_ARGUMENT_DOCS } from './arguments/housing-summary.ts'
import { DATA_DICTIONARY_ARGUMENT_DOCS } from './arguments/data-dictionary.ts'
import { BLOCK_REQUEST_ARGUMENT_DOCS } from './arguments/block-requests.ts'
import { ROOM_BLOCK_ARGUMENT_DOCS } from './arguments/room-blocks.ts'
import { HOTEL_CONTRACT_ARGUMENT_DOCS } from './arguments/hotel-contracts.ts'
import { HOTEL_WAITLIST_ARGUMENT_DOCS } from './arguments/hotel-waitlist.ts'
import { HOTEL_CATALOG_ARGUMENT_DOCS } from './arguments/hotel-catalog.ts'
import { HOTEL_PCI_ARGUMENT_DOCS } from './arguments/hotel-pci.ts'
import { BRIEF_ARGUMENT_DOCS } from './arguments/briefs.ts'
import { SUPPLIER_ARGUMENT_DOCS } from './arguments/suppliers.ts'
import { RFP_ARGUMENT_DOCS } from './arguments/rfps.ts'
import { BID_ARGUMENT_DOCS } from './arguments/bids.ts'
import { AWARD_ARGUMENT_DOCS } from './arguments/awards.ts'
import { SUPPLIER_CONTRACT_ARGUMENT_DOCS } from './arguments/supplier-contracts.ts'
import { SIGNING_ARGUMENT_DOCS } from './arguments/signing.ts'
import { SURVEY_ARGUMENT_DOCS } from './arguments/surveys.ts'
import { SHARED_ARGUMENT_DOCS } from './arguments/shared.ts'
import { CLIENT_RESULT_DOCS } from './results/clients.ts'
import { EVENT_RESULT_DOCS } from './results/events.ts'
import { FEEDBACK_RESULT_DOCS } from './results/feedback.ts'
import { PARTICIPANT_RESULT_DOCS } from './results/participants.ts'
import { REGISTRATION_RESULT_DOCS } from './results/registration.ts'
import { FLOOR_PLAN_RESULT_DOCS } from './results/floor-plans.ts'
import { AUDIENCE_RESULT_DOCS } from './results/audiences.ts'
import { FLOOR_SCAN_RESULT_DOCS } from './results/floor-scans.ts'
import { LAYOUT_RESULT_DOCS } from './results/layouts.ts'
import { BOOTH_RESULT_DOCS } from './results/booths.ts'
import { APPLICATION_RESULT_DOCS } from './results/applications.ts'
import { PLACEMENT_RESULT_DOCS } from './results/placements.ts'
import { COMPANY_RESULT_DOCS } from './results/companies.ts'
import { ONSITE_RESULT_DOCS } from './results/onsite.ts'
import { PRESENCE_RESULT_DOCS } from './results/presence.ts'
import { SESSION_RESULT_DOCS } from './results/sessions.ts'
import { DESIGNED_REPORT_RESULT_DOCS } from './results/designed-reports.ts'
import { REPORT_FILE_RESULT_DOCS } from './results/report-files.ts'
import { CHART_RESULT_DOCS } from './results/charts.ts'
import { REPORT_QUERY_RESULT_DOCS } from './results/reports-query.ts'
import { HOUSING_SUMMARY_RESULT_DOCS } from './results/housing-summary.ts'
import { DATA_DICTIONARY_RESULT_DOCS } from './results/data-dictionary.ts'
import { BLOCK_REQUEST_RESULT_DOCS } from './results/block-requests.ts'
import { ROOM_BLOCK_RESULT_DOCS } from './results/room-blocks.ts'
import { HOTEL_CONTRACT_RESULT_DOCS } from './results/hotel-contracts.ts'
import { HOTEL_WAITLIST_RESULT_DOCS } from './results/hotel-waitlist.ts'
import { HOTEL_CATALOG_RESULT_DOCS } from './results/hotel-catalog.ts'
import { HOTEL_PCI_RESULT_DOCS } from './results/hotel-pci.ts'
import { BRIEF_RESULT_DOCS } from './results/briefs.ts'
import { SUPPLIER_RESULT_DOCS } from './results/suppliers.ts'
import { RFP_RESULT_DOCS } from './results/rfps.ts'
import { BID_RESULT_DOCS } from './results/bids.ts'
import { AWARD_RESULT_DOCS } from './results/awards.ts'
import { SUPPLIER_CONTRACT_RESULT_DOCS } from './results/supplier-contracts.ts'
import { SIGNING_RESULT_DOCS } from './results/signing.ts'
import { SURVEY_RESULT_DOCS } from './results/surveys.ts'
import { SHARED_RESULT_DOCS } from './results/shared.ts'

/** Descriptions of fields for the documentation, by field name; nested fields by path, such as `billTo.city`. */
export type FieldDocs = Readonly<Record<string, string>>
export type FieldDocsByTool = Readonly<Record<string, FieldDocs>>

/**
 * The meanings of arguments and result fields for the documentation. They are not in the tools' schemas, because assistants load those in
 * every conversation and descriptions and errors are enough for them. A test verifies that each field has a meaning and each meaning a
 * field. Fields that are declared once in the kernel or in a record have their meaning there (`describe` in `kernel/args.ts`).
 */
export const TOOL_ARGUMENT_DOCS: FieldDocsByTool = {
  ...EVENT_ARGUMENT_DOCS,
  ...REGISTRATION_ARGUMENT_DOCS,
  ...CLIENT_ARGUMENT_DOCS,
  ...FLOOR_PLAN_ARGUMENT_DOCS,
  ...AUDIENCE_ARGUMENT_DOCS,
  ...FLOOR_SCAN_ARGUMENT_DOCS,
  ...LAYOUT_ARGUMENT_DOCS,
  ...BOOTH_ARGUMENT_DOCS,
  ...APPLICATION_ARGUMENT_DOCS,
  ...PLACEMENT_ARGUMENT_DOCS,
  ...COMPANY_ARGUMENT_DOCS,
  ...ONSITE_ARGUMENT_DOCS, ...PRESENCE_ARGUMENT_DOCS,
  ...SESSION_ARGUMENT_DOCS,
  ...DATA_DICTIONARY_ARGUMENT_DOCS,
  ...DESIGNED_REPORT_ARGUMENT_DOCS,
  ...REPORT_FILE_ARGUMENT_DOCS,
  ...CHART_ARGUMENT_DOCS,
  ...REPORT_QUERY_ARGUMENT_DOCS,
  ...HOUSING_SUMMARY_ARGUMENT_DOCS,
  ...BLOCK_REQUEST_ARGUMENT_DOCS,
  ...ROOM_BLOCK_ARGUMENT_DOCS,
  ...HOTEL_CONTRACT_ARGUMENT_DOCS,
  ...HOTEL_WAITLIST_ARGUMENT_DOCS,
  ...HOTEL_CATALOG_ARGUMENT_DOCS,
  ...HOTEL_PCI_ARGUMENT_DOCS,
  ...BRIEF_ARGUMENT_DOCS,
  ...SUPPLIER_ARGUMENT_DOCS,
  ...RFP_ARGUMENT_DOCS,
  ...BID_ARGUMENT_DOCS,
  ...AWARD_ARGUMENT_DOCS,
  ...SUPPLIER_CONTRACT_ARGUMENT_DOCS,
  ...SIGNING_ARGUMENT_DOCS,
  ...SURVEY_ARGUMENT_DOCS,
  ...PARTICIPANT_ARGUMENT_DOCS,
  ...FEEDBACK_ARGUMENT_DOCS,
}

export const TOOL_RESULT_DOCS: FieldDocsByTool = {
  ...EVENT_RESULT_DOCS,
  ...REGISTRATION_RESULT_DOCS,
  ...CLIENT_RESULT_DOCS,
  ...FLOOR_PLAN_RESULT_DOCS,
  ...AUDIENCE_RESULT_DOCS,
  ...FLOOR_SCAN_RESULT_DOCS,
  ...LAYOUT_RESULT_DOCS,
  ...BOOTH_RESULT_DOCS,
  ...APPLICATION_RESULT_DOCS,
  ...PLACEMENT_RESULT_DOCS,
  ...COMPANY_RESULT_DOCS,
  ...ONSITE_RESULT_DOCS, ...PRESENCE_RESULT_DOCS,
  ...SESSION_RESULT_DOCS,
  ...DATA_DICTIONARY_RESULT_DOCS,
  ...DESIGNED_REPORT_RESULT_DOCS,
  ...REPORT_FILE_RESULT_DOCS,
  ...CHART_RESULT_DOCS,
  ...REPORT_QUERY_RESULT_DOCS,
  ...HOUSING_SUMMARY_RESULT_DOCS,
  ...BLOCK_REQUEST_RESULT_DOCS,
  ...ROOM_BLOCK_RESULT_DOCS,
  ...HOTEL_CONTRACT_RESULT_DOCS,
  ...HOTEL_WAITLIST_RESULT_DOCS,
  ...HOTEL_CATALOG_RESULT_DOCS,
  ...HOTEL_PCI_RESULT_DOCS,
  ...BRIEF_RESULT_DOCS,
  ...SUPPLIER_RESULT_DOCS,
  ...RFP_RESULT_DOCS,
  ...BID_RESULT_DOCS,
  ...AWARD_RESULT_DOCS,
  ...SUPPLIER_CONTRACT_RESULT_DOCS,
  ...SIGNING_RESULT_DOCS,
  ...SURVEY_RESULT_DOCS,
  ...PARTICIPANT_RESULT_DOCS,
  ...FEEDBACK_RESULT_DOCS,
}

export const findArgumentDescription = (tool: string, path: string): string | null =>
  findOwn(TOOL_ARGUMENT_DOCS[tool], path) ?? findOwn(SHARED_ARGUMENT_DOCS, path) ?? null

export const findResultDescription = (tool: string, field: string): string | null =>
  findOwn(TOOL_RESULT_DOCS[tool], field) ?? findOwn(SHARED_RESULT_DOCS, field) ?? null

const findOwn = (meanings: FieldDocs | undefined, path: string): string | undefined =>
  meanings && Object.hasOwn(meanings, path) ? meanings[path] : undefined
