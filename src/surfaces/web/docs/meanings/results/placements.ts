import type { FieldDocsByTool } from '../meanings.ts'

export const PLACEMENT_RESULT_DOCS: FieldDocsByTool = {
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
  analyze_growth: {
    comparedWith: 'The event compared with.',
    summary: 'Companies with a booth, net area in square metres, and booth sales without tax: last time, now, and the change.',
    classes: 'Companies by what changed. The changes of net area add up to that of the summary.',
    retention: 'Share of the companies of last time that exhibit again, and their area now as a share of all area last time.',
    organizations: 'Companies at either event, the largest loss first, with their area in square metres.',
    total: 'Number of companies at either event.',
    capacity: 'Area of available booths, companies with an application and no booth, and the area that they want, in square metres.',
  },
  analyze_placement: {
    booths: 'Booths by number: quality from 0 to 100, share of visitors who pass, metres to the nearest entrance, open sides.',
    total: 'Number of booths on the plan.',
    competitorPairs: 'Competing companies that are nearer to each other than the event allows.',
    deadZones: 'Numbers of neighbouring booths that few visitors pass.',
    fairness: 'Whether companies with more priority points have better booths: rank correlation from -1 to 1, and the companies furthest behind.',
  },
}
