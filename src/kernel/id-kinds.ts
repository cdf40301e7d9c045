import type { ToolScope } from './tool.ts'

/** The MCP endpoints to which callers send ids. Each endpoint serves its own tools. */
export type McpEndpointKind = 'organizer' | 'participant' | 'operator'

export function getMcpEndpointKind(scope: ToolScope): McpEndpointKind {
  if (scope === 'operator') return 'operator'
  return scope === 'signIn' || scope === 'person' || scope === 'registrant' ? 'participant' : 'organizer'
}

interface IdKind {
  /** The noun for a record of this kind with its article, as in "this is the id of an exhibitor". */
  noun: string
  /** Where callers find ids of this kind, by endpoint. A test checks that every tool named here is served at that endpoint. */
  found: Partial<Record<McpEndpointKind, string>>
}

/** The kinds of records whose ids are arguments of tools. */
export const ID_KINDS = {
  participant: {
    noun: 'a participant',
    found: {
      organizer: 'find_participants lists participants with their ids',
      participant: 'get_my_registration shows the participantId; leave participantId out if the person has one registration',
    },
  },
  user: { noun: 'a user', found: { organizer: 'list_event_staff lists users with their ids' } },
  memory: { noun: 'a memory', found: { organizer: 'search_memories lists memories with their ids' } },
  version: { noun: 'a version', found: { organizer: 'list_versions lists versions with their ids' } },
  rehearsal: {
    noun: 'a rehearsal',
    found: { organizer: 'rehearse_flow returns its id, and get_flow_rehearsal without one shows the latest' },
  },
  testRun: { noun: 'a run of test registrations', found: { organizer: 'create_test_registrations returns its runId' } },
  importSetup: { noun: 'an import setup', found: { organizer: 'setup_import_flow returns its setupId' } },
  importRun: {
    noun: 'an import run',
    found: { organizer: 'import_event returns its runId; setup_import_flow with the setupId lists runs' },
  },
  file: { noun: 'a file', found: { organizer: 'no tool lists files: send the table itself instead, as text or rows' } },
  taxAssessment: { noun: 'a tax assessment', found: { organizer: 'start_tax_assessment returns its assessmentId' } },
  taxFinding: { noun: 'a finding', found: { organizer: 'start_tax_assessment with the assessmentId lists findings with their ids' } },
  waitlistEntry: {
    noun: 'a waiting list entry',
    found: { organizer: 'get_participant shows the entryId; find_participants with waitlistedFor lists the people on a waiting list' },
  },
  hotelWaitlistEntry: {
    noun: 'a waiting list entry of a hotel',
    found: {
      organizer: 'get_housing_summary with include waitlist, or a dry run of fill_hotel_waitlist, lists entries with their entryId',
    },
  },
  hotelWaitlistFill: {
    noun: 'a job that fills the waiting list of a hotel',
    found: { organizer: 'fill_hotel_waitlist returns its jobId if it charges more than 20 cards or serves more than 100 entries' },
  },
  hotelMove: {
    noun: 'a job that moves reservations',
    found: { organizer: 'move_hotel_reservations returns its jobId if it moves more than 30 reservations' },
  },
  payment: { noun: 'a payment', found: { organizer: 'list_order_invoices with include entries lists payments with their ids' } },
  company: {
    noun: 'an exhibitor',
    found: {
      organizer: 'manage_company with action list shows exhibitors with their ids',
      participant: 'list_exhibitor_availability and get_booth_map list exhibitors with their ids',
    },
  },
  email: { noun: 'an email', found: { participant: 'resend_my_confirmation_email without emailId lists the emails with their ids' } },
  slot: { noun: 'a time slot of an exhibitor', found: { participant: 'list_exhibitor_availability lists slots with their ids' } },
  appointment: { noun: 'an appointment', found: { participant: 'list_my_appointments lists appointments with their ids' } },
  booth: { noun: 'a booth', found: { organizer: 'list_booths shows booths with their ids' } },
  floorPlanScan: { noun: 'a floor plan scan', found: { organizer: 'scan_floor_plan_pois returns its scanId' } },
  attendanceImport: { noun: 'an import of door scans', found: { organizer: 'import_attendance returns its jobId' } },
  session: { noun: 'a session', found: { organizer: 'get_onsite_summary lists sessions with their ids' } },
  leadDevice: { noun: 'a lead scanner', found: { organizer: 'manage_device with action list shows scanners with their ids' } },
  licence: {
    noun: 'a lead retrieval licence',
    found: { organizer: 'manage_company with action get and include licences shows licences with their ids' },
  },
  lead: { noun: 'a lead', found: { organizer: 'manage_lead with action list shows leads with their ids' } },
  exhibitorStaff: {
    noun: 'a booth staff member',
    found: { organizer: 'manage_exhibitors with action list shows booth staff with their ids' },
  },
  layout: { noun: 'a layout', found: { organizer: 'generate_max_fit returns its layoutId' } },
  assignmentProposal: { noun: 'a booth assignment proposal', found: { organizer: 'propose_booth_assignments returns its proposalId' } },
  speaker: { noun: 'a speaker', found: { organizer: 'list_speakers lists speakers with their ids' } },
  hotel: {
    noun: 'a hotel',
    found: {
      organizer: 'get_housing_summary lists the hotels of the event with their ids and codes',
      participant: 'get_hotel_list lists hotels with their ids',
    },
  },
  block: {
    noun: 'a block of rooms',
    found: { organizer: 'get_housing_summary with groupBy block lists the blocks of rooms with their ids' },
  },
  reservation: {
    noun: 'a room reservation',
    found: { organizer: 'get_housing_summary with include reservations lists rooms with their ids' },
  },
  blockRequest: { noun: 'a block request', found: { organizer: 'list_block_requests lists requests with their ids and numbers' } },
  blockAmendment: { noun: 'an amendment', found: { organizer: 'get_block_request lists the amendments of a request with their ids' } },
  brief: { noun: 'a brief', found: { organizer: 'get_brief without a briefId lists briefs with their ids' } },
  supplier: { noun: 'a supplier', found: { organizer: 'search_suppliers lists suppliers with their ids' } },
  report: { noun: 'a report', found: { organizer: 'list_reports lists reports with their codes' } },
  reportRun: { noun: 'a run of a report', found: { organizer: 'run_report and export_event return the runId; get_report lists runs' } },
  rfp: { noun: 'an RFP', found: { organizer: 'list_rfps lists RFPs with their ids' } },
  rfpRecipient: { noun: 'a recipient of an RFP', found: { organizer: 'list_rfps with the rfpId lists recipients with their ids' } },
  rfpQuestion: { noun: 'a question about an RFP', found: { organizer: 'list_rfps with the rfpId lists questions with their ids' } },
  rfpResponse: { noun: 'a response to an RFP', found: { organizer: 'list_rfp_responses lists responses with their ids' } },
  rubric: { noun: 'a scoring rubric', found: { organizer: 'list_scoring_rubrics lists rubrics with their ids' } },
  award: { noun: 'an award', found: { organizer: 'list_rfps with the rfpId shows the award with its id' } },
  contract: { noun: 'a contract', found: { organizer: 'list_contracts lists contracts with their ids' } },
  counter: { noun: 'a counter', found: { organizer: 'list_contracts with the contractId lists counters with their ids' } },
  feedback: { noun: 'feedback', found: { operator: 'list_feedback lists feedback with its ids' } },
} as const satisfies Record<string, IdKind>

export type IdKindName = keyof typeof ID_KINDS

/** The tools that list codes, by the name of the argument that takes the code. An argument name means the same in all tools. */
const CODE_SOURCES: Record<string, IdKind['found']> = {
  eventCode: { organizer: 'list_my_events lists event codes' },
  fromEventCode: { organizer: 'list_my_events lists event codes' },
  toEventCode: { organizer: 'list_my_events lists event codes' },
  floorPlanCode: {
    organizer: 'list_floor_plans lists the floor plans with their codes',
    participant: 'get_booth_map lists the floor plans with their codes',
  },
  compareWith: { organizer: 'list_events lists event codes' },
  clientCode: { organizer: 'list_clients lists client codes' },
  toClientCode: { organizer: 'list_clients lists client codes' },
  fromClientCode: { organizer: 'list_clients lists client codes' },
  flowSlug: { organizer: 'config_explore with path /flows lists the flows', participant: 'agent_list_flows lists the flows' },
  productCode: { organizer: 'config_explore with path /products lists the products' },
  productCodes: { organizer: 'config_explore with path /products lists the products' },
  groupCode: { organizer: 'list_managed_groups lists group codes' },
  trackCode: { organizer: 'config_explore with path /sessions/tracks lists the tracks' },
  formatCode: { organizer: 'config_explore with path /sessions/formats lists the formats' },
  roomCode: { organizer: 'config_explore with path /sessions/rooms lists the rooms' },
  connection: { organizer: 'list_directory_connections lists connections' },
  preset: { organizer: 'list_directory_presets lists presets' },
}

/** Where callers of an endpoint find the value of an argument that names a record; null if the argument names none. */
export function describeIdSource(argument: string, kind: IdKindName | undefined, endpoint: McpEndpointKind): string | null {
  const found: IdKind['found'] | undefined =
    kind === undefined ? (Object.hasOwn(CODE_SOURCES, argument) ? CODE_SOURCES[argument] : undefined) : ID_KINDS[kind].found
  return found?.[endpoint] ?? null
}

const NUMBERS_BY_PREFIX: Record<string, string> = {
  A: 'the number of a booth application',
  BR: 'the number of a block request',
  H: 'the number of a room reservation',
  R: 'an order number',
  CN: 'the number of a credit note',
  INV: 'an invoice number',
  K: 'the number of a contract with a supplier',
  RC: 'a receipt number',
  RFP: 'the number of an RFP',
  S: 'the number of a submission',
}

/** Describes a text that was sent in place of an id, such as an email address, a number or a name. */
export function describeInvalidId(given: string): string | null {
  const text = given.trim()
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return 'an email address'
  const [, prefix = ''] = /^(?:T-|IMP-)?([A-Z]+)-(?:\d{4}-)?\d+$/i.exec(text) ?? []
  if (Object.hasOwn(NUMBERS_BY_PREFIX, prefix.toUpperCase())) return NUMBERS_BY_PREFIX[prefix.toUpperCase()]!
  return /\s/.test(text) ? 'a name' : null
}
