import { CLIENT_TOOL_ARGUMENTS } from './arguments/clients.ts'
import { EVENT_TOOL_ARGUMENTS } from './arguments/events.ts'
import { FEEDBACK_TOOL_ARGUMENTS } from './arguments/feedback.ts'
import { PARTICIPANT_TOOL_ARGUMENTS } from './arguments/participants.ts'
import { REGISTRATION_TOOL_ARGUMENTS } from './arguments/registration.ts'
import { FLOOR_PLANS_ARGUMENTS } from './arguments/floor-plans.ts'
import { AUDIENCES_ARGUMENTS } from './arguments/audiences.ts'
import { FLOOR_SCANS_ARGUMENTS } from './arguments/floor-scans.ts'
import { LAYOUTS_ARGUMENTS } from './arguments/layouts.ts'
import { BOOTHS_ARGUMENTS } from './arguments/booths.ts'
import { APPLICATIONS_ARGUMENTS } from './arguments/applications.ts'
import { PLACEMENTS_ARGUMENTS } from './arguments/placements.ts'
import { COMPANIES_ARGUMENTS } from './arguments/companies.ts'
import { ONSITE_ARGUMENTS } from './arguments/onsite.ts'
import { PRESENCE_ARGUMENTS } from './arguments/presence.ts'
import { SESSIONS_ARGUMENTS } from './arguments/sessions.ts'
import { DESIGNED_REPORTS_ARGUMENTS } from './arguments/designed-reports.ts'
import { REPORT_FILES_ARGUMENTS } from './arguments/report-files.ts'
import { CHART_ARGUMENTS } from './arguments/charts.ts'
import { REPORTS_QUERY_ARGUMENTS } from './arguments/reports-query.ts'
import { HOUSING_SUMMARY_ARGUMENTS } from './arguments/housing-summary.ts'
import { DATA_DICTIONARY_ARGUMENTS } from './arguments/data-dictionary.ts'
import { BLOCK_REQUESTS_ARGUMENTS } from './arguments/block-requests.ts'
import { ROOM_BLOCKS_ARGUMENTS } from './arguments/room-blocks.ts'
import { HOTEL_CONTRACTS_ARGUMENTS } from './arguments/hotel-contracts.ts'
import { HOTEL_WAITLIST_ARGUMENTS } from './arguments/hotel-waitlist.ts'
import { HOTEL_CATALOG_ARGUMENTS } from './arguments/hotel-catalog.ts'
import { HOTEL_PCI_ARGUMENTS } from './arguments/hotel-pci.ts'
import { BRIEFS_ARGUMENTS } from './arguments/briefs.ts'
import { SUPPLIERS_ARGUMENTS } from './arguments/suppliers.ts'
import { RFPS_ARGUMENTS } from './arguments/rfps.ts'
import { BIDS_ARGUMENTS } from './arguments/bids.ts'
import { AWARDS_ARGUMENTS } from './arguments/awards.ts'
import { SUPPLIER_CONTRACTS_ARGUMENTS } from './arguments/supplier-contracts.ts'
import { SIGNING_ARGUMENTS } from './arguments/signing.ts'
import { SURVEYS_ARGUMENTS } from './arguments/surveys.ts'
import { SHARED_ARGUMENTS } from './arguments/shared.ts'
import { CLIENT_TOOL_RESULTS } from './results/clients.ts'
import { EVENT_TOOL_RESULTS } from './results/events.ts'
import { FEEDBACK_TOOL_RESULTS } from './results/feedback.ts'
import { PARTICIPANT_TOOL_RESULTS } from './results/participants.ts'
import { REGISTRATION_TOOL_RESULTS } from './results/registration.ts'
import { FLOOR_PLANS_RESULTS } from './results/floor-plans.ts'
import { AUDIENCES_RESULTS } from './results/audiences.ts'
import { FLOOR_SCANS_RESULTS } from './results/floor-scans.ts'
import { LAYOUTS_RESULTS } from './results/layouts.ts'
import { BOOTHS_RESULTS } from './results/booths.ts'
import { APPLICATIONS_RESULTS } from './results/applications.ts'
import { PLACEMENTS_RESULTS } from './results/placements.ts'
import { COMPANIES_RESULTS } from './results/companies.ts'
import { ONSITE_RESULTS } from './results/onsite.ts'
import { PRESENCE_RESULTS } from './results/presence.ts'
import { SESSIONS_RESULTS } from './results/sessions.ts'
import { DESIGNED_REPORTS_RESULTS } from './results/designed-reports.ts'
import { REPORT_FILES_RESULTS } from './results/report-files.ts'
import { CHART_RESULTS } from './results/charts.ts'
import { REPORTS_QUERY_RESULTS } from './results/reports-query.ts'
import { HOUSING_SUMMARY_RESULTS } from './results/housing-summary.ts'
import { DATA_DICTIONARY_RESULTS } from './results/data-dictionary.ts'
import { BLOCK_REQUESTS_RESULTS } from './results/block-requests.ts'
import { ROOM_BLOCKS_RESULTS } from './results/room-blocks.ts'
import { HOTEL_CONTRACTS_RESULTS } from './results/hotel-contracts.ts'
import { HOTEL_WAITLIST_RESULTS } from './results/hotel-waitlist.ts'
import { HOTEL_CATALOG_RESULTS } from './results/hotel-catalog.ts'
import { HOTEL_PCI_RESULTS } from './results/hotel-pci.ts'
import { BRIEFS_RESULTS } from './results/briefs.ts'
import { SUPPLIERS_RESULTS } from './results/suppliers.ts'
import { RFPS_RESULTS } from './results/rfps.ts'
import { BIDS_RESULTS } from './results/bids.ts'
import { AWARDS_RESULTS } from './results/awards.ts'
import { SUPPLIER_CONTRACTS_RESULTS } from './results/supplier-contracts.ts'
import { SIGNING_RESULTS } from './results/signing.ts'
import { SURVEYS_RESULTS } from './results/surveys.ts'
import { SHARED_RESULTS } from './results/shared.ts'

/** Descriptions of fields for the documentation, by field name; nested fields by path, such as `billTo.city`. */
export type Meanings = Readonly<Record<string, string>>
export type ToolMeanings = Readonly<Record<string, Meanings>>

/**
 * The meanings of arguments and result fields for the documentation. They are not in the tools' schemas, because assistants load those in
 * every conversation and descriptions and errors are enough for them. A test verifies that each field has a meaning and each meaning a
 * field. Fields that are declared once in the kernel or in a record have their meaning there (`describe` in `kernel/args.ts`).
 */
export const ARGUMENT_MEANINGS: ToolMeanings = {
  ...EVENT_TOOL_ARGUMENTS,
  ...REGISTRATION_TOOL_ARGUMENTS,
  ...CLIENT_TOOL_ARGUMENTS,
  ...FLOOR_PLANS_ARGUMENTS,
  ...AUDIENCES_ARGUMENTS,
  ...FLOOR_SCANS_ARGUMENTS,
  ...LAYOUTS_ARGUMENTS,
  ...BOOTHS_ARGUMENTS,
  ...APPLICATIONS_ARGUMENTS,
  ...PLACEMENTS_ARGUMENTS,
  ...COMPANIES_ARGUMENTS,
  ...ONSITE_ARGUMENTS, ...PRESENCE_ARGUMENTS,
  ...SESSIONS_ARGUMENTS,
  ...DATA_DICTIONARY_ARGUMENTS,
  ...DESIGNED_REPORTS_ARGUMENTS,
  ...REPORT_FILES_ARGUMENTS,
  ...CHART_ARGUMENTS,
  ...REPORTS_QUERY_ARGUMENTS,
  ...HOUSING_SUMMARY_ARGUMENTS,
  ...BLOCK_REQUESTS_ARGUMENTS,
  ...ROOM_BLOCKS_ARGUMENTS,
  ...HOTEL_CONTRACTS_ARGUMENTS,
  ...HOTEL_WAITLIST_ARGUMENTS,
  ...HOTEL_CATALOG_ARGUMENTS,
  ...HOTEL_PCI_ARGUMENTS,
  ...BRIEFS_ARGUMENTS,
  ...SUPPLIERS_ARGUMENTS,
  ...RFPS_ARGUMENTS,
  ...BIDS_ARGUMENTS,
  ...AWARDS_ARGUMENTS,
  ...SUPPLIER_CONTRACTS_ARGUMENTS,
  ...SIGNING_ARGUMENTS,
  ...SURVEYS_ARGUMENTS,
  ...PARTICIPANT_TOOL_ARGUMENTS,
  ...FEEDBACK_TOOL_ARGUMENTS,
}

export const RESULT_MEANINGS: ToolMeanings = {
  ...EVENT_TOOL_RESULTS,
  ...REGISTRATION_TOOL_RESULTS,
  ...CLIENT_TOOL_RESULTS,
  ...FLOOR_PLANS_RESULTS,
  ...AUDIENCES_RESULTS,
  ...FLOOR_SCANS_RESULTS,
  ...LAYOUTS_RESULTS,
  ...BOOTHS_RESULTS,
  ...APPLICATIONS_RESULTS,
  ...PLACEMENTS_RESULTS,
  ...COMPANIES_RESULTS,
  ...ONSITE_RESULTS, ...PRESENCE_RESULTS,
  ...SESSIONS_RESULTS,
  ...DATA_DICTIONARY_RESULTS,
  ...DESIGNED_REPORTS_RESULTS,
  ...REPORT_FILES_RESULTS,
  ...CHART_RESULTS,
  ...REPORTS_QUERY_RESULTS,
  ...HOUSING_SUMMARY_RESULTS,
  ...BLOCK_REQUESTS_RESULTS,
  ...ROOM_BLOCKS_RESULTS,
  ...HOTEL_CONTRACTS_RESULTS,
  ...HOTEL_WAITLIST_RESULTS,
  ...HOTEL_CATALOG_RESULTS,
  ...HOTEL_PCI_RESULTS,
  ...BRIEFS_RESULTS,
  ...SUPPLIERS_RESULTS,
  ...RFPS_RESULTS,
  ...BIDS_RESULTS,
  ...AWARDS_RESULTS,
  ...SUPPLIER_CONTRACTS_RESULTS,
  ...SIGNING_RESULTS,
  ...SURVEYS_RESULTS,
  ...PARTICIPANT_TOOL_RESULTS,
  ...FEEDBACK_TOOL_RESULTS,
}

export const findArgumentMeaning = (tool: string, path: string): string | null =>
  findOwn(ARGUMENT_MEANINGS[tool], path) ?? findOwn(SHARED_ARGUMENTS, path) ?? null

export const findResultMeaning = (tool: string, field: string): string | null =>
  findOwn(RESULT_MEANINGS[tool], field) ?? findOwn(SHARED_RESULTS, field) ?? null

const findOwn = (meanings: Meanings | undefined, path: string): string | undefined =>
  meanings && Object.hasOwn(meanings, path) ? meanings[path] : undefined
