import { defineEmail } from '../../kernel/email.ts'

export const passwordReset = defineEmail<{ link: string }>({
  code: 'password-reset',
  category: 'transactional',
  render: ({ link }) => ({
    subject: 'Set a new password for Lanyard',
    text: `Somebody asked to set a new password for your Lanyard sign-in.\n\nSet it here within 30 minutes:\n${link}\n\nIf it was not you, ignore this mail; your password stays as it is.\n`,
  }),
})

export const invitation = defineEmail<{ link: string; inviter: string; client: string }>({
  code: 'organizer-invite',
  category: 'transactional',
  render: ({ link, inviter, client }) => ({
    subject: `${inviter} invites you to ${client} on Lanyard`,
    text: `${inviter} added you to ${client} on Lanyard.\n\nChoose a password here within 72 hours:\n${link}\n`,
  }),
})

export const addedToClient = defineEmail<{ link: string; inviter: string; client: string }>({
  code: 'organizer-added',
  category: 'transactional',
  render: ({ link, inviter, client }) => ({
    subject: `${inviter} added you to ${client} on Lanyard`,
    text: `${inviter} added you to ${client} on Lanyard.\n\nSign in with the password you have:\n${link}\n\nConnected assistants ask you to sign in again, because your access changed.\n`,
  }),
})

export const signInLocked = defineEmail<Record<string, never>>({
  code: 'sign-in-locked',
  category: 'transactional',
  render: () => ({
    subject: 'Many failed sign-ins to your Lanyard account',
    text: 'Somebody tried to sign in as you ten times with a wrong password or code. Signing in is paused for up to 15 minutes.\n\nIf it was not you, your password still holds. Consider turning on the second factor under Account security.\n',
  }),
})
