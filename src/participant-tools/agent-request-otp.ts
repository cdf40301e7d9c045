import { count, email, flag } from '../kernel/args.ts'
import { signInTool } from '../kernel/participant-tool.ts'
import { sendAssistantSignInCode } from '../domains/codes/assistant-codes.ts'

export default signInTool({
  name: 'agent_request_otp',
  title: 'Email a sign-in code',
  description:
    'Email a fresh sign-in code, a one-time passcode of six digits, to the address of the person for their login; this cannot be undone, so name the address first. Also when the last one never reached them. Not for checking what they read back (use agent_verify_otp). Returns whether it was sent and how long it works.',
  effect: 'destructive',
  openWorld: true,
  keyed: true,
  input: { email: email() },
  output: { sent: flag(), expiresInSeconds: count() },
  run: sendAssistantSignInCode,
})
