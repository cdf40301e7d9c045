import type { FieldDocsByTool } from '../meanings.ts'

export const AWARD_RESULT_DOCS: FieldDocsByTool = {
  get_sourcing_summary: {
    counts: 'Numbers of records by state.',
    responses: 'Suppliers who were asked, who responded and who turned down.',
    awarded: 'Gross total of executed awards in the currency of the event.',
    contracted: 'The part of it that is under contract.',
    signed: 'The part of it whose contract is signed.',
    otherCurrencies: 'The same sums in other currencies.',
    nextDates: 'The next ten dates.',
    actions: 'What waits for the organizer, with the tool for it.',
    briefs: 'The briefs.',
    rfps: 'The RFPs.',
    contracts: 'The contracts.',
    milestones: 'The milestones.',
  },
  get_sourcing_savings: {
    lines: 'One line for each supplier of an award. Parts add up to the savings.',
    totals: 'Sums of all lines.',
    excluded: 'Awards without this baseline.',
  },
  propose_award: {
    award: 'The award after the call.',
    total: 'Gross cost of all lines.',
    savings: 'First offers minus the total, for the same quantities.',
    overLimit: 'Whether a second person must execute it.',
    warnings: 'What speaks against the award.',
  },
  execute_award: { award: 'The executed award.', emails: 'Numbers of emails.', rfp: 'The RFP after the call.' },
  publish_award_to_block: {
    hotels: 'The hotels with their contracted nights. `created` is false if the hotel existed.',
    roomNights: 'Contracted room nights of all hotels.',
    unmapped: 'Offered room types that the hotel does not have. Their rooms are not contracted.',
  },
}
