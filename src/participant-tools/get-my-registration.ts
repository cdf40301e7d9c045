import { registrantTool } from '../kernel/participant-tool.ts'
import { getOwnRegistration, OwnRegistration } from '../domains/registration/own/own-registration.ts'

export default registrantTool({
  name: 'get_my_registration',
  title: "Show the person's registration",
  description:
    "Show or pull up the person's registration (delegate booking record): status, confirmation number, the answers they put down, sessions they are in, guests, group, hotel room, waitlist. Not for what they owe (use check_balance_due). Returns the details of the booking and a link to manage it.",
  effect: 'read',
  input: {},
  output: OwnRegistration,
  run: getOwnRegistration,
})
