import { registrantTool } from '../kernel/participant-tool.ts'
import { getOwnBalance, OwnRegistrationBalance } from '../domains/registration/own/own-balance.ts'

export default registrantTool({
  name: 'check_balance_due',
  title: 'Check what is left to pay',
  description:
    'Check how much the person still owes for their ticket (delegate fee): amount payable, outstanding invoices and when they are due, credit, and whether they, a group or a host have paid. Not for paying, which happens only at the link. Returns total, paid, balance, invoices and a link to pay.',
  effect: 'read',
  input: {},
  output: OwnRegistrationBalance,
  run: getOwnBalance,
})
