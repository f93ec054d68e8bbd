export const spanish = String.raw`
where doing: (?:usa|use|usad|usar|utiliza|utilice|haz|haga|hacer|modifica|modifique|cambia|cambie|agrega|agregue|añade|añada|crea|cree|escribe|escriba|borra|elimina|corrige|arregla|implementa|instala|reemplaza|renombra|ejecuta|trabaja|muestra|guarda|sube|despliega|actualiza|pon|ponga|deja|mantén)
common:
  el la los las de del un una y es no que en con por para se lo al su sus como pero si sin más todo todos
  debe deben nunca siempre solo sólo esto este esta usa uses hay hacer favor quiero muy ya también archivo
letters: ñ¿¡áéíóú
breaks: [,;:!]\s+|\s+[-–—]+\s+|\.{2,}\s*|\s*[()]\s*|\s+(?=(?:pero|y|porque|pues|sino)\s)
fillers:
  por favor|porfa|también|ok|vale|bueno|y|pero|o|entonces|sí|no,|además|ojo|importante|porque|así que|luego
  después|ahora|gracias|recuerda que|(?:yo )?(?:creo|pienso) que|¡
question sentence:
  [?？][\s"')»]*$
  ^\s*¿
question head: (?:por qué|cómo|dónde|cuándo|cuál(?:es)?|quién|qué|puedes|podrías|puede|podemos|hay que (?:hacer|cambiar) algo)\b
narrative head: (?:yo )?(?:no (?:entiendo|sé|veo|puedo|tengo|creo|recuerdo|necesito|encuentro|estoy|me)|tengo que|necesito|estoy|he |tuve|debo|voy a|vi\b|me )
report sentence weak: \b(?:no (?:funciona|carga|aparece|compila|sirve|anda|muestra|responde)|falla|fallando|(?:da|sale|tira|lanza|un) error|se rompe|sigue (?:sin|dando|fallando|mostrando)|todavía|aún|actualmente|en este momento|pero (?:muestra|sale|aparece|da|no|se|está))\b
musing sentence weak: \b(?:quizás?|tal vez|a lo mejor|probablemente|me pregunto|no sé si|supongo)\b
prohibition head:
  no (?:me |lo |la |los |las |se |te |le )?(?!es\b|tenemos|hay\b|está\b|son\b|sé\b|entiendo|funciona|puedo|tengo|tiene|veo|aparece|creo|importa|pasa|sirve|era|fue|sale|carga|compila|muestra|te preocupes|olvides|sólo|solo|quiero (?:saber|molestar)|problema|recuerdo|estoy|necesito|estaba|parece)(?:\S+(?:es|as|a|e|an|en|éis|áis|ar|er|ir)(?:lo|la|los|las|me|se)?|más|uses|toques|hagas|quiero|queremos)\b
  (?:aquí |acá )?(?:nunca|jamás) (?!he |había|vi\b|me |funciona)\w
  (?:sin|ningún|ninguna|nada de) (?!problema|embargo|duda|error)\w
  evit(?:a[rd]?|e)\b
  deja de \w
prohibition clause:
  \bno (?:debe|deben|debes|debería|deberían|puede haber|se (?:debe|deben|puede|pueden|permite|permiten))\b(?! (?:conectar|abrir|cargar|ver|instalar))
  \b(?:está|están|queda) (?:estrictamente )?prohibid[oa]s?\b
  \b(?:en ningún caso|bajo ninguna circunstancia)\b
necessity head weak:
  (?!yo\b|si\b|cuando\b|que\b|nosotros\b)(?:\S+ ){1,12}?(?:debe|deben|deberá|deberán|debería|deberían|tiene que|tienen que)\b(?! (?:haber|estar (?:arreglado|listo|bien)|funcionar))
  (?:debes|tienes que usar|debe ser|deben ser)\b
  hay que (?:mantener|usar|evitar|respetar|asegurar)
standing head weak: (?:(?:los|las|la|nuestros|nuestras) )?(?:commits?|mensajes? de commit|comentarios|documentación|docs|ramas) (?:van|son|están|se escriben) (?:siempre )?en (?:inglés|español|minúsculas|utc)\b
standing clause weak: \b(?:siempre|cada vez que|a partir de ahora|de ahora en adelante|en adelante|en el futuro|después de cada|antes de cada)\b(?! (?:falla|da|sale|aparece))
limit head weak:
  (?:s[oó]lo|solamente|únicamente|como máximo|como mucho|al menos)\b(?! (?:falta|hay|queda|tengo|una pregunta))
  {doing}\b.{0,140}\b(?:s[oó]lo|solamente|únicamente|exclusivamente|sin|en lugar de|en vez de|como máximo|nada más)\b
  (?:en lugar de|en vez de)\b.{2,140}\b(?:usa|utiliza|use|utilice|pon)\b
keep head: (?:mantén|mantenga|mantener|mantengamos|conserva|conserve|preserva|respeta|respete|asegúrate|asegúrese|aseguraos|cuida que|sigue (?:las?|los?|el|nuestr[oa]s?|usando)|procura|deja .{1,80} (?:como está|intact[oa]s?|sin (?:tocar|cambios)|igual))(?![\p{L}])
preference head weak:
  (?:yo )?(?:prefiero|preferimos|preferiría)\b
  (?:quiero|queremos|quisiera|me gustaría) (?:que (?!me|revises|hagas|mires|veas|expliques)|s[oó]lo |mantener |usar |evitar |seguir )
  (?:usemos|mantengamos|evitemos|sigamos con|quedémonos con)\b
allows:
  (?:ya |ahora )?(?:puedes|podéis|puede)(?: ya| ahora)?[ ]
  está bien (?:si )?
releases:
  (?:ya )?no (?:hace falta|es necesario)[ ]
  olvida (?:lo de )?
ends:
  ya no (?:está prohibid[oa]|aplica|vale|hace falta)
  (?:regla|restricción)\b.{0,60}\b(?:ya no|anulada|eliminada)
  (?:está|están) (?:ahora |de nuevo )?permitid[oa]s?\b
  cambi(?:é|ado) de opinión
cancels: (?:mejor |en realidad )?(?:olvídalo|olvida eso|déjalo|ignora eso|cancela eso|borra eso)[.!]*$
negations: en lugar de|en vez de|no|ya no usar
empty:
  el la los las de del un una y o no nunca siempre que en con por para se lo al su como pero si sin más ya
  ahora usa use uses usar puedes puede debe deben eso esto este esta
passing: por ahora|por el momento|esta vez|hoy|de momento
moment: todavía|aún|por ahora|de momento|ahora
always: nunca|siempre|jamás|cada|ningún|ninguna
headings: restricciones|reglas|requisitos|requerimientos|limitaciones|normas|convenciones|prohibido|condiciones|principios
forbidden headings: .*(?:prohibido|prohibiciones).*
strong demand:
  debe|deben|debes|nunca|siempre|solamente|sólo|únicamente|asegúrate|asegúrese|asegurar|evita|evite|evitar
  en lugar de|en vez de|obligatorio|prohibido|al menos|como máximo|no uses|no hagas|no cambies|no toques
  no debe|no debes|no puede|ya no
weak demand: tiene que|tienen que|tienes que|hay que|necesita|necesito|mantén|mantener|necesario|debería
`
