export const german = String.raw`
where doing: (?:ändere?|ändern|lösche?|löschen|füge|benutze?|benutzen|verwende?|verwenden|nutze?|nutzen|mach|mache|machen|pushe?|pushen|committe?|commite?|committen|rühre?|fass|fasse|anfassen|schreibe?|schreiben|nimm|nehmen|installiere?|installieren|entferne?|entfernen|überschreibe?|überschreiben|verändere?|verändern|lass|baue?|bauen|arbeite?|führe|erstelle?|erstellen|ersetze?|importiere?|deploye?|merge?|setze?|halte?|ruf|rufe|logge|speichere?|übernimm|aktualisiere?|zeige?|teste?|benenne?)
common:
  der die das und ist nicht ein eine einen zu mit für auf den dem des im in es ich du wir bitte auch noch
  nur kein keine keinen soll sollen muss müssen wie was warum aber oder dass als bei von immer statt ohne
  niemals nie sich sie werden an am bleiben bleibt darf mach mir das
letters: äöüß
breaks: [,;:!]\s+|\s+[-–—]+\s+|\.{2,}\s*|\s*[()]\s*|\s+(?=(?:aber|und|weil|denn|sondern)\s)
fillers:
  bitte|auch|ok(?:ay)?|und|aber|oder|so|dann|also|ja|nein,|hm+|ach|einfach|wichtig|achtung|außerdem|übrigens
  weil|denn|danke|zuerst|jetzt|ich (?:glaube|denke|meine|finde)|denk daran
question sentence: [?？][\s"')]*$
question head:
  (?:warum|wieso|weshalb|wie|was|wo|wer|welche[rsn]?|wann|ob|woran|woher)\b(?! auch immer)
  (?:kannst|könntest|könnten|können|ist|sind|hat|haben|soll|sollen|sollten|muss|müssen|wird|werden|darf|gibt) (?:du|wir|ich|es|das|sie|der|die|man)\b
narrative head:
  ich (?:verstehe|weiß|kann|muss|habe|hab|bin|sehe|brauche|war|hatte|werde|komme|finde|bekomme|kriege|dachte|sollte|darf)\b
  wir (?:müssen|haben|sind|brauchen|können|waren|hatten|sollten)\b(?!.*\b(?:immer|nur|nie|niemals|sicherstellen|kein(?:e|en)?)\b)
report sentence weak: \b(?:funktioniert (?:noch |immer noch |leider )?nicht|geht (?:noch |leider )?nicht|klappt nicht|kaputt|stürzt|immer noch|nach wie vor|schlägt fehl|fehlgeschlagen|momentan|derzeit|aktuell|sondern zeigt|erwartet hätte|zeigt (?:aber|jedoch)|obwohl)\b
musing sentence weak: \b(?:vielleicht|eventuell|möglicherweise|wahrscheinlich|vermutlich|könnte|ich frage mich|keine ahnung)\b
prohibition head:
  (?:niemals|nie|auf keinen fall|keinesfalls|unter keinen umständen|nicht) (?!mehr sicher|schlecht|schlimm|so\b|ganz|wirklich|dass|wahr|gut)\w
  kein(?:e|en|er|em|erlei)? (?!ahnung|problem|sorge|idee|angst|thema|frage|wunder|zeit|fehler|treffer|änderung|ausgabe|warnung|antwort|ergebnis|unterschied|rückmeldung)\w
  {doing}\b.{0,120}\b(?:nicht|nie|niemals|kein(?:e|en|er|em)?)\b
  (?:ich|wir) (?:möchten?|wollen|will) (?:\S+ ){0,6}(?:nicht|kein(?:e|en|er|em)?|nie)\b
  vermeide\b
  hör auf\b
  lass die finger\b
prohibition clause:
  (?:darf|dürfen|soll|sollen|muss|müssen|sollte|sollten)\s(?:\S+\s){0,8}?(?:nicht|nie|niemals|kein(?:e|en|er|em)?)\b
  (?:ist|sind) (?:strengstens )?(?:verboten|nicht erlaubt|untersagt|tabu)\b
  (?:niemals|auf keinen fall|unter keinen umständen|keinesfalls)\b
  (?:das|die|den|der|am|an|im|in|hier|dort) (?:\S+ ){1,8}(?:nicht|nie) (?:anfassen|ändern|verändern|löschen|committen|pushen|verwenden|benutzen|entfernen|überschreiben|anrühren)\b
necessity head weak:
  (?!ich\b|wir\b|du\b|wenn\b|falls\b|dass\b|ob\b)(?:\S+ ){1,12}?(?:muss|müssen|soll|sollen|sollte|sollten|darf nur|dürfen nur)\b(?! (?:ich|wir|man|noch|jetzt|eigentlich))
  du (?:musst|sollst|darfst nur)\b
  wir (?:müssen|sollten) (?:immer|nur|stets)\b
standing head weak:
  wir (?!haben|hatten|sind|waren|konnten|wissen|sehen|kommen)\p{L}+n (?:hier |bei uns |grundsätzlich )*(?:nie|niemals|nur|kein(?:e|en)?)\b(?! (?:fehler|gesehen|noch))
  (?:(?:alle|unsere|die|neue) )*(?:code-?)?(?:kommentare?|doku(?:mentation)?|docs|commits?|commit-?(?:nachrichten|messages?)|branch(?:es|-?namen)?|variablen(?:namen)?|bezeichner|fehlermeldungen|texte|preise|beträge|migrationen|code) (?:sind|ist|stehen|steht|beginnen|beginnt|enden|werden|wird|schreiben) (?:wir |bei uns |hier |immer |nie |nur )*(?:auf|in) (?:deutsch|englisch|französisch|utc|cent)\b
standing clause weak: (?<!\b(?:noch|wie|schon) )\b(?:immer|jedes mal|ab jetzt|ab sofort|künftig|in zukunft|grundsätzlich|stets|überall|durchgehend|nach jede[rm]|vor jede[rm]|bei jede[rm])\b(?! (?:noch|wieder|weniger|mehr))
limit head weak:
  (?:nur|ausschließlich|höchstens|maximal|mindestens)\b(?! (?:noch|dass|weil|so|eine frage|mal))
  {doing}\b.{0,140}\b(?:nur|ausschließlich|höchstens|maximal|statt|anstatt|anstelle|ohne)\b
  (?:statt|anstatt|anstelle)\b.{2,140}\b(?:verwende|nutze|benutze|nimm|nehmen|verwenden|nutzen)\b
keep head:
  (?:behalte|behalten sie|belass|bewahre|stelle? sicher|achte (?:darauf|auf)|sorge? dafür|halte? dich an|halt dich|bleib(?:e)? bei|beachte|berücksichtige|befolge|folge)\b
  lass(?:e|t)?\b.{1,100}\b(?:unverändert|unberührt|in ruhe|wie (?:es|sie|er) (?:ist|sind)|so)\b
  (?:\S+ ){1,10}bleib(?:t|en) (?:\S+ ){0,3}(?:bitte\b|auf (?:deutsch|englisch)\b|unverändert|unberührt|bestehen|wie (?:es|sie|er) (?:ist|sind|war))
  (?:\S+ ){1,6}bitte (?:immer |nur |alle |stets )*(?:auf|in|mit|ohne|als|nach) \S
  halte? .{1,100}\b(?:klein|kurz|einfach|getrennt|kompatibel|stabil|konsistent|aktuell|sauber)\b
preference head weak:
  (?:ich|wir) (?:möchten?|wollen|will|hätten?|würden?|bevorzugen?)\b.{0,120}\b(?:lieber|statt|nur|immer|dass|bevorzug\w+|ausschließlich)\b(?!.*\b(?:wissen|verstehen|fragen)\b)
  (?:ich|wir) bevorzugen?\b
  (?:lass uns|lasst uns|wir) (?:lieber |dabei |bei )?(?:verwenden|nutzen|benutzen|nehmen|bleiben|behalten|verwende|nutze|bleib)\b
  lass uns .{1,100}\b(?:verwenden|nutzen|benutzen|beibehalten|behalten|bleiben)\b
allows:
  (?:jetzt |nun )?(?:kannst|darfst|könnt) (?:du|ihr) (?:jetzt |nun |doch )?
  du (?:kannst|darfst) (?:jetzt |nun |doch |wieder )?
  (?:es ist )?(?:ok|okay|in ordnung),?[ ]
releases:
  (?:du musst|wir müssen|braucht?) (?:das )?nicht mehr[ ]
  vergiss (?!nicht)
rule names: \b(?:regel|vorgabe|einschränkung|verbot|bedingung)
ends:
  (?:regel|vorgabe|einschränkung|verbot|bedingung)\b.{0,60}\b(?:weg|aufgehoben|hinfällig|vom tisch|nicht mehr|erledigt)\b
  (?:ist|sind) (?:jetzt |wieder |nun |doch )*(?:erlaubt|in ordnung|ok(?:ay)?)\b
  (?:gilt|gelten) nicht mehr\b
  nicht mehr (?:verboten|nötig|tabu)\b
  (?:vergiss|ignorier(?:e)?|streich(?:e)?) (?:die|das|meine|diese|was ich)\b
  (?:meine )?meinung geändert\b
cancels: (?:doch )?(?:vergiss (?:das|es)|egal|ignorier(?:e)? das|streich das|nimm das zurück)(?: wieder)?[.!]*$
negations: statt|anstatt|anstelle von|nicht|kein|keine
empty:
  der die das den dem des ein eine einen und oder nicht nie niemals kein keine keinen immer nur bitte zu auf
  in im an am mit für von es sie ist sind noch jetzt doch mal auch du ich wir kannst darfst soll sollen muss
  müssen verwende nutze benutze
passing:
  jetzt (?:erst(?:mal| einmal)? )?nur|nur .{0,40}\bjetzt|erst ?mal|erst einmal|erst morgen|vorerst
  fürs erste|heute|diesmal|dieses mal|zunächst
moment: noch|erstmal|vorerst|momentan|jetzt
always: nie|niemals|immer|grundsätzlich|auf keinen fall|jede
headings: (?:rahmen|rand)?bedingungen|vorgaben|regeln|anforderungen|einschränkungen|richtlinien|konventionen|verboten|nicht erlaubt
forbidden headings: .*(?:verboten|nicht erlaubt|tabu|nicht)
strong demand:
  muss|müssen|musst|darf nicht|dürfen nicht|darf|niemals|nie|immer|nur|stelle sicher|stell sicher
  sicherstellen|vermeide|vermeiden|ohne|statt|anstatt|anstelle|verboten|pflicht|mindestens|höchstens
  nicht mehr|kein|keine|keinen|auf keinen fall
weak demand: soll|sollen|sollte|sollten|erforderlich|notwendig|brauche|braucht|behalte|bitte nicht|nicht
`
