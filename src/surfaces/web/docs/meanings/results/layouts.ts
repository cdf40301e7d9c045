import type { FieldDocsByTool } from '../meanings.ts'

export const LAYOUT_RESULT_DOCS: FieldDocsByTool = {
  generate_max_fit: {
    layoutId: 'Id of the layout, for apply_layout of manage_floor_plans within 30 days.',
    planRevision: 'Revision of the plan that the layout fits. A changed plan needs a new layout.',
    booths: 'Number of booths.',
    net: 'Area of all booths, in square units of the plan.',
    netGross: 'Share of the gross area that booths cover, in percent.',
    corners: 'Booths at the ends of rows.',
    byType: 'Number of booths per type.',
    angle: 'Direction of the rows, in degrees.',
    rows: 'Number of bands of booths: double rows back to back, or single rows.',
    candidates: 'Booths that fit in each direction, before those without a way to an exit are removed.',
    lost: 'Booths that pillars, fire exits, reserved zones and missing ways to an exit cost.',
    checks: 'Results of the safety checks: aisles, exits, ways, dead ends, length of rows.',
    mixUnmet: 'Larger booths that found no space.',
    warnings: 'no_exits: ways were not tested. module_off_grid: gaps between booths. numbers_taken: choose a prefix.',
    needsVenueApproval: 'Always true: the venue and its fire officer decide.',
    firstBooths: 'The first 50 booths by number.',
  },
}
