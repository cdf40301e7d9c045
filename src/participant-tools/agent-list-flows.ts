import { personTool } from '../kernel/participant-tool.ts'
import { OpenFlowDescriptions, describeOpenFlows } from '../domains/registration/flows/describe-open-flows.ts'

export default personTool({
  name: 'agent_list_flows',
  title: 'List ways to register',
  description:
    'List the kinds of registration (reg types) that are open for this event: attendee, exhibitor, speaker, press, staff and other special ways to sign up, each with the fields it asks for. Not for signing up (use agent_submit_registration). Returns flows with their fields, which are required, and choices.',
  effect: 'read',
  input: {},
  output: OpenFlowDescriptions,
  run: describeOpenFlows,
})
