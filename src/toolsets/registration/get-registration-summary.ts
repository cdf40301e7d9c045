import { code, day, flag, oneOf } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { getRegistrationSummary } from '../../domains/registration/summary/summary.ts'
import { RegistrationSummary } from '../../domains/registration/summary/summary-shapes.ts'

export default eventTool({
  name: 'get_registration_summary',
  title: 'Registration figures',
  description:
    'Count registrations so far: headcount, takings, completes, incompletes, cancels, waitlist; sign-ups by day, path, source, tag, country; products sold and left; money come in, owed, net revenue; pace against last year. The dashboard for the boss. Not for people (use find_participants). Returns figures.',
  effect: 'read',
  toleratesLag: true,
  permission: 'registration.read',
  input: {
    from: day().optional(),
    until: day().optional(),
    flowSlug: code().optional(),
    groupBy: oneOf(['country']).optional(),
    compareWith: code().optional(),
    includeTestData: flag().default(false),
  },
  output: RegistrationSummary,
  run: getRegistrationSummary,
})
