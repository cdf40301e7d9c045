export const spanishSignInTexts = {
  'signIn.signedInAs': 'Sesión iniciada como {email}',
  'signIn.heading': 'Iniciar sesión',
  'signIn.text': 'Le enviaremos por correo electrónico un código para abrir su inscripción en {event}.',
  'signIn.errorSummary': 'Corrija lo siguiente:',
  'signIn.email': 'Correo electrónico',
  'signIn.send': 'Enviarme un código',
  'signIn.badEmail': 'Escriba un correo electrónico válido, por ejemplo nombre@example.org.',
  'signIn.tooManyCodes':
    'Se han solicitado demasiados códigos. Use el código del último correo, que es válido durante 15 minutos, o inténtelo de nuevo dentro de una hora.',
  'signIn.noCookies':
    'Su navegador ha bloqueado una cookie que esta página necesita. Permita las cookies de este sitio o abra la página en una ventana aparte, e inténtelo de nuevo.',
  'signIn.codeHeading': 'Escriba su código',
  'signIn.codeText': 'Hemos enviado un código de seis dígitos a {email}. Es válido durante 15 minutos.',
  'signIn.code': 'Código',
  'signIn.enter': 'Iniciar sesión',
  'signIn.noMail': '¿No ha recibido el correo? Mire en la carpeta de correo no deseado.',
  'signIn.otherEmail': 'Usar otra dirección',
  'signIn.again': 'Enviar otro código',
  'signIn.sixDigits': 'Escriba el código de seis dígitos del correo.',
  'signIn.wrongCode': {
    one: 'El código no es correcto. Use el código del último correo. Le queda {count} intento.',
    other: 'El código no es correcto. Use el código del último correo. Le quedan {count} intentos.',
  },
  'signIn.noAttemptsLeft': 'El código no es correcto y no le quedan intentos. Solicite un código nuevo o use el enlace del correo.',
  'signIn.expiredCode': 'El código ya no es válido. Solicite uno nuevo.',
  'signIn.linkText': 'Está iniciando sesión en {event} como {email}.',
  'signIn.expiredLink': 'Ya se ha utilizado o ha caducado. Solicite un código nuevo.',
}
