import type { ToolMeanings } from '../meanings.ts'

export const PLACEMENTS_RESULTS: ToolMeanings = {
  propose_booth_assignments: {
    proposalId: 'Id of the proposal, to read or apply it within 30 days.',
    status: '`done`, or the state of the background job that calculates the proposal.',
    jobId: 'Id of the background job of a long calculation.',
    progress: 'Progress of the job.',
    method: 'Method of the proposal.',
    assigned: 'Applications with their booths, by points. `reasons` are the parts of the score; `rank` is the place of the booth in the list of wishes.',
    unassigned: 'Applications without a booth, why, and which rule stopped their best booths.',
    stats: 'Figures of the whole proposal. First choices are counted among applications that list booths; `net` is the area in the units of the plan; `revenue` is without tax.',
    expiresAt: 'When the proposal is deleted.',
    appliedAt: 'When the proposal was applied.',
    note: 'What is left out, or what to do next.',
  },
}
