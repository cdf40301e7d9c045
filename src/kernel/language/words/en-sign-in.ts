export const englishSignInTexts = {
  'signIn.signedInAs': 'Signed in as {email}',
  'signIn.heading': 'Sign in',
  'signIn.text': 'We will email you a code to open your registration for {event}.',
  'signIn.errorSummary': 'Please fix the following:',
  'signIn.email': 'Email',
  'signIn.send': 'Send me a code',
  'signIn.badEmail': 'Enter a valid email address, such as name@example.org.',
  'signIn.tooManyCodes':
    'Too many codes were requested. Use the code from the latest email, which works for 15 minutes, or try again in an hour.',
  'signIn.noCookies':
    'Your browser blocked a cookie that this page needs. Allow cookies for this site, or open the page in a window of its own, then try again.',
  'signIn.codeHeading': 'Enter your code',
  'signIn.codeText': 'We sent a six-digit code to {email}. It works for 15 minutes.',
  'signIn.code': 'Code',
  'signIn.enter': 'Sign in',
  'signIn.noMail': 'No email? Check your spam folder.',
  'signIn.otherEmail': 'Use another address',
  'signIn.again': 'Send another code',
  'signIn.sixDigits': 'Enter the six-digit code from the email.',
  'signIn.wrongCode': {
    one: 'That code is not correct. Use the code from the latest email. You have {count} attempt left.',
    other: 'That code is not correct. Use the code from the latest email. You have {count} attempts left.',
  },
  'signIn.noAttemptsLeft': 'That code is not correct, and you have no attempts left. Request a new code, or use the link in the email.',
  'signIn.expiredCode': 'That code is no longer valid. Request a new one.',
  'signIn.linkText': 'You are signing in to {event} as {email}.',
  'signIn.expiredLink': 'The link was already used or has expired. Request a new code.',
} as const
