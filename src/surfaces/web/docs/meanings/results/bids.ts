import type { FieldDocsByTool } from '../meanings.ts'

export const BID_RESULT_DOCS: FieldDocsByTool = {
  list_rfp_responses: {
    sealed: 'Whether responses are still sealed.',
    opensAt: 'When sealed responses can be read.',
    responses: 'The responses. While they are sealed, only supplier and status.',
    pending: 'Suppliers without a response.',
  },
  compare_responses: {
    rfp: 'The RFP.',
    currency: 'Currency of all amounts.',
    columns: 'The responses, the lowest net first.',
    rows: 'What is compared, with values in the order of the columns.',
    totals: 'Total cost, in the order of the columns.',
    risks: 'What to know before choosing a response.',
    scores: 'Scores by rank, if the RFP has a rubric.',
    fx: 'Exchange rates that were used.',
    xlsxUrl: 'Address of the comparison as a workbook, for users who are signed in.',
  },
  summarize_comparison: {
    summary: 'The summary.',
    bullets: 'Single findings with the responses they are about.',
    recommendation: 'The recommended response, if one meets the requirements.',
    method: 'Whether a language model or fixed rules wrote the text.',
    comparisonHash: 'Hash of the comparison that the text is about.',
  },
  create_scoring_rubric: { rubric: 'The rubric.', attachedTo: 'The RFP that got a copy.' },
  list_scoring_rubrics: {
    rubrics: 'The rubrics by name.',
    attached: "The RFP's copy; null without a rubric.",
    scores: 'Scores of the responses by rank.',
  },
  record_manual_scores: {
    saved: 'Number of new scores.',
    replaced: 'Number of scores that replaced an earlier one.',
    totals: 'Scores of all responses by rank.',
  },
}
