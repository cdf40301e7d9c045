import { z } from 'zod'
import { count, email, flag, instant, object, oneOf, secretArgumentRegistry } from '../kernel/args.ts'
import { signInTool } from '../kernel/participant-tool.ts'
import { verifyAssistantSignInCode } from '../domains/codes/assistant-codes.ts'

/** Accepts spaces in the code, because people read and type codes in groups of digits. */
const digits = z
  .string()
  .overwrite((typed) => typed.replaceAll(/\s/g, ''))
  .regex(/^\d{6}$/, 'a code has 6 digits')
secretArgumentRegistry.add(digits, { secret: true })

export default signInTool({
  name: 'agent_verify_otp',
  title: 'Verify the sign-in code',
  description:
    'Authenticate the person by the code they got: the code in the message that came, for the same event and email. Opens a session of an hour, sent as X-Participant-Session with every other tool. After three wrong ones agent_request_otp sends another code. Returns the session and whether they are registered, or why the code is not right.',
  effect: 'change',
  input: { email: email(), code: digits },
  output: {
    verified: flag(),
    session: object({ token: z.string(), expiresAt: instant() }).optional(),
    participantExists: flag().optional(),
    reason: oneOf(['wrong_code', 'expired_or_missing']).optional(),
    attemptsRemaining: count().optional(),
  },
  run: verifyAssistantSignInCode,
})
