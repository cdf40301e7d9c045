export const portugueseSignInTexts = {
  'signIn.signedInAs': 'Sessão iniciada como {email}',
  'signIn.heading': 'Iniciar sessão',
  'signIn.text': 'Vamos enviar-lhe por e-mail um código para abrir a sua inscrição em {event}.',
  'signIn.errorSummary': 'Corrija o seguinte:',
  'signIn.email': 'E-mail',
  'signIn.send': 'Enviar-me um código',
  'signIn.badEmail': 'Introduza um endereço de e-mail válido, por exemplo nome@example.org.',
  'signIn.tooManyCodes':
    'Foram pedidos demasiados códigos. Utilize o código do e-mail mais recente, válido durante 15 minutos, ou tente novamente dentro de uma hora.',
  'signIn.noCookies':
    'O seu navegador bloqueou um cookie de que esta página precisa. Permita cookies neste site ou abra a página numa janela própria e tente novamente.',
  'signIn.codeHeading': 'Introduza o seu código',
  'signIn.codeText': 'Enviámos um código de seis dígitos para {email}. É válido durante 15 minutos.',
  'signIn.code': 'Código',
  'signIn.enter': 'Iniciar sessão',
  'signIn.noMail': 'Não recebeu o e-mail? Veja na pasta de spam.',
  'signIn.otherEmail': 'Utilizar outro endereço',
  'signIn.again': 'Enviar outro código',
  'signIn.sixDigits': 'Introduza o código de seis dígitos do e-mail.',
  'signIn.wrongCode': {
    one: 'O código não está correto. Utilize o código do e-mail mais recente. Resta-lhe {count} tentativa.',
    other: 'O código não está correto. Utilize o código do e-mail mais recente. Restam-lhe {count} tentativas.',
  },
  'signIn.noAttemptsLeft': 'O código não está correto e já não tem mais tentativas. Peça um novo código ou utilize a ligação do e-mail.',
  'signIn.expiredCode': 'O código já não é válido. Peça um novo.',
  'signIn.linkText': 'Está a iniciar sessão em {event} como {email}.',
  'signIn.expiredLink': 'Já foi utilizada ou expirou. Peça um novo código.',
}
