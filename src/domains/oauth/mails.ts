import { defineEmail } from '../../kernel/email.ts'

export const appSignedOut = defineEmail<{ app: string; baseUrl: string }>({
  code: 'app-signed-out',
  category: 'transactional',
  render: ({ app, baseUrl }) => ({
    subject: `We signed ${app} out of your Lanyard account`,
    text: `An old sign-in key of the app "${app}" was used a second time. That happens when somebody has copied it, so the app lost its access at once.\n\nIf you still use the app, connect it again. If you do not know it, or this happens again, change your password and look at your connected apps:\n${baseUrl}/console/account/apps\n`,
  }),
})
