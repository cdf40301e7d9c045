import { describe, expect, it } from 'vitest'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { findNearestTools, formatNearestToolsHint } from '../../src/surfaces/mcp/nearest-tools.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'

const viewOf = (tools: readonly { wire: { name: string } }[]) => ({ list: tools.map(({ wire }) => wire) }) as never

const VIEWS = {
  organizer: viewOf(ALL_TOOLSETS.flatMap(({ tools }) => tools)),
  participant: viewOf(PARTICIPANT_TOOLS),
  feedback: viewOf(FEEDBACK_TOOLS),
}

describe('findNearestTools', () => {
  it.each([
    ['organizer', 'find_participant', 'find_participants'],
    ['organizer', 'search_attendees', 'find_participants'],
    ['organizer', 'register_participant', 'add_participant'],
    ['organizer', 'cancel_registration', 'edit_participant'],
    ['organizer', 'delete_event', 'archive_event'],
    ['organizer', 'compare_versions', 'diff_versions'],
    ['organizer', 'list_invoices', 'list_order_invoices'],
    ['organizer', 'refund_payment', 'record_manual_payment'],
    ['organizer', 'updateEvent', 'update_event'],
    ['organizer', 'sync_crm', 'list_directory_connections'],
    ['participant', 'register', 'agent_submit_registration'],
    ['participant', 'login', 'agent_request_otp'],
    ['participant', 'get_registration', 'get_my_registration'],
    ['participant', 'list_hotels', 'get_hotel_list'],
    ['participant', 'book_meeting', 'book_exhibitor_appointment'],
    ['feedback', 'list_bugs', 'list_feedback'],
    ['feedback', 'close_issue', 'update_feedback'],
  ] as const)('suggests the right tool among at most three at the %s endpoint for %s', (endpoint, asked, meant) => {
    const near = findNearestTools(VIEWS[endpoint], asked)
    expect(near).toContain(meant)
    expect(near.length).toBeLessThanOrEqual(3)
  })

  it('suggests for an unknown tool name only tools that the caller can use', () => {
    for (const name of ['find_participants', 'config_set', 'list_feedback']) {
      const own = new Set(PARTICIPANT_TOOLS.map((tool) => tool.name))
      expect(findNearestTools(VIEWS.participant, name).filter((near) => !own.has(near))).toEqual([])
    }
  })

  it('suggests no tool if only the action part of the name is known', () => {
    expect(formatNearestToolsHint(VIEWS.organizer, 'list_zebras')).toBe('')
    expect(formatNearestToolsHint(VIEWS.feedback, 'find_participants')).toBe('')
    expect(formatNearestToolsHint(VIEWS.organizer, 'diff_version')).toMatch(/^ — did you mean diff_versions, \w+ or \w+\?$/)
  })
})
