import { registrantTool } from '../kernel/participant-tool.ts'
import { describeOwnRegistrationFlow, OwnRegistrationFlow } from '../domains/registration/own/own-flow.ts'

export default registrantTool({
  name: 'describe_my_flow',
  title: "See what is left of the person's form",
  description:
    "See which questions of the registration form the person still has to answer (outstanding, missing, required), which they can still edit, and where they carry on when they stopped halfway. Not for the answers themselves (use get_my_registration). Returns the form's fields, what is missing, and a link to finish.",
  effect: 'read',
  input: {},
  output: OwnRegistrationFlow,
  run: describeOwnRegistrationFlow,
})
