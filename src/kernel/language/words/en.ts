/** What pages and mails say to participants, and mails to everybody. This is the list of keys: other languages say the same ones. */
export const en = {
  yes: 'Yes',
  no: 'No',

  'page.skip': 'Skip to the content',
  'page.toStart': 'To the start',
  'page.documentation': 'Documentation',
  'page.console': 'Console',
  'missing.title': 'Not found',
  'missing.heading': 'There is no such page',
  'missing.text': 'The address may be mistyped, or what was here is gone or not yours to see.',
  'expired.title': 'Expired',
  'expired.heading': 'This link has expired',
  'expired.text': 'Go back to where you found it and open it from there: the page has a new one.',
  'failed.title': 'Something went wrong',
  'failed.text':
    'It was not your fault, and the people who run this service know of it. If you write to them, give this number: {reference}.',

  'mail.unsubscribe': 'Unsubscribe',
  'mail.preferences': 'Choose which mails you get',
  'mail.sponsored': 'Sponsored',
  'mail.offer': 'See the offer',
  'mail.code': 'Your code',
  'mail.when': 'When',
  'mail.where': 'Where',
  'mail.website': 'Website',
  'mail.calendar': 'Add to your calendar',
  'mail.map': 'Show on a map',
  'mail.tax': '{name} {percent} %',
  'mail.total': 'Total',
  'mail.paid': 'Paid',
  'mail.balance': 'Still to pay',
  'mail.buttonFallback': 'If the button does nothing, copy this address into your browser:',
  'mail.sentBy': 'Sent by Lanyard at {host}.',

  'mail.reset.subject': 'Set a new password for Lanyard',
  'mail.reset.preheader': 'The link works for 30 minutes.',
  'mail.reset.heading': 'Set a new password',
  'mail.reset.text': 'Somebody asked to set a new password for your Lanyard sign-in. The link works once, within 30 minutes.',
  'mail.reset.button': 'Set a new password',
  'mail.reset.ignore': 'If it was not you, ignore this mail; your password stays as it is.',

  'mail.invitation.subject': '{inviter} invites you to {place} on Lanyard',
  'mail.invitation.preheader': 'Choose a password within 72 hours.',
  'mail.invitation.heading': 'Welcome to {place}',
  'mail.invitation.text': '{inviter} added you to {place} on Lanyard. Choose a password within 72 hours, and you are in.',
  'mail.invitation.button': 'Choose a password',
  'mail.invitation.ignore': 'If you do not know {inviter}, ignore this mail. Nobody can sign in as you without this link.',

  'mail.added.subject': '{inviter} added you to {place} on Lanyard',
  'mail.added.preheader': 'Sign in with the password you have.',
  'mail.added.heading': 'You are now part of {place}',
  'mail.added.text': '{inviter} added you to {place} on Lanyard. Sign in with the password you have.',
  'mail.added.button': 'Open the console',
  'mail.added.apps': 'Connected assistants ask you to sign in again, because your access changed.',

  'mail.locked.subject': 'Many failed sign-ins to your Lanyard account',
  'mail.locked.preheader': 'Signing in is paused for up to 15 minutes.',
  'mail.locked.heading': 'Many failed sign-ins',
  'mail.locked.text':
    'Somebody tried to sign in as you ten times with a wrong password or code. Signing in is paused for up to 15 minutes.',
  'mail.locked.advice': 'If it was not you, your password still holds. Consider turning on the second factor under Account security.',

  'mail.signedOut.subject': 'We signed {app} out of your Lanyard account',
  'mail.signedOut.preheader': 'An old sign-in key was used a second time.',
  'mail.signedOut.heading': 'An app was signed out',
  'mail.signedOut.text':
    'An old sign-in key of the app "{app}" was used a second time. That happens when somebody has copied it, so the app lost its access at once.',
  'mail.signedOut.advice':
    'If you still use the app, connect it again. If you do not know it, or this happens again, change your password and look at your connected apps.',
  'mail.signedOut.button': 'See your connected apps',
} as const
