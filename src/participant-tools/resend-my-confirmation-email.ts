import { id } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { ResendableEmailsResult, resendOwnEmail } from '../domains/registration/own/own-emails.ts'

export default registrantTool({
  name: 'resend_my_confirmation_email',
  title: "Resend one of the person's emails",
  description:
    "Send the person's booking confirmation mail (QR code, receipt) to their inbox again when it was lost or deleted; a message that was sent cannot be undone, so preview with dryRun. Without emailId nothing is sent. Not for sign-in codes (use agent_request_otp). Returns the emails that can be re-issued, or where one went.",
  effect: 'destructive',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: { emailId: id('email').optional() },
  output: ResendableEmailsResult,
  run: resendOwnEmail,
})
