import type { FieldDocsByTool } from '../meanings.ts'

export const AWARD_ARGUMENT_DOCS: FieldDocsByTool = {
  get_sourcing_summary: { include: 'Lists to add: briefs, rfps, contracts, milestones.' },
  get_sourcing_savings: {
    baseline: 'What to compare with: the first offer, the budget of the brief, the highest other bid, or the last event.',
    scope: 'This event, or all events of its client.',
    from: 'Only awards executed on or after this day.',
    until: 'Only awards executed on or before this day.',
  },
  propose_award: {
    rfpId: 'Which RFP.',
    lines: 'Responses that get the business. Several lines split the rooms.',
    'lines.responseId': 'Which response.',
    'lines.share': 'Rooms by night. Default: all offered rooms that the RFP asks for.',
    'lines.share.night': 'Which night.',
    'lines.share.rooms': 'Number of rooms.',
    rationale: 'Why, in at least 20 characters.',
    awardId: 'The award to withdraw.',
    withdraw: 'Withdraw the proposal.',
  },
  execute_award: {
    awardId: 'Which award.',
    declineReasons: 'By recipient: why it does not get the business. Default: the client’s text.',
    discloseWinner: 'Tell the others who won.',
    keepOpen: 'Do not decline the others yet.',
  },
  publish_award_to_block: {
    awardId: 'Which award.',
    status: 'Status of the hotel contract. Tentative rooms cannot be booked; signing makes them definite.',
    roomTypeMap: 'By offered room type: the code of the hotel’s room type.',
    cutoffOn: 'Cut-off day. Default: arrival minus the days of the offer.',
    sellStatus: 'Whether rooms can be booked once the contract is definite.',
  },
}
