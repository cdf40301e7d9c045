import { code, day, flag, id, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { checkAssessmentArguments, startAssessment } from '../../domains/taxation/assessments.ts'
import { AssessmentShape } from '../../domains/taxation/shapes.ts'

export default eventTool({
  name: 'start_tax_assessment',
  title: 'Assess taxes',
  description:
    'Check whether VAT, GST or sales tax is right: rates, countries, reverse charge, registrations, over the draft and every order line (tax audit). Starts a job; call again with assessmentId alone for progress and findings. Not for changing taxes (use apply_tax_recommendations). Returns findings with amounts at risk.',
  effect: 'change',
  permission: 'money.write',
  findArgumentErrors: checkAssessmentArguments,
  input: {
    productCodes: list(code(), 2000).min(1, 'needs a code').optional(),
    asOf: day().optional(),
    includeOrders: flag().optional(),
    assessmentId: id('taxAssessment').optional(),
  },
  output: AssessmentShape,
  run: startAssessment,
})
