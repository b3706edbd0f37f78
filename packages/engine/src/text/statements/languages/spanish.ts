import type { Language } from '../language.ts';

export const spanish: Language = {
  signals: {
    rule: [
      `nunca|jamás|siempre|debe|deben|debes|debemos|hay que|tiene que|tienen que|tienes que|no toques|no toque
      |no modifiques|no modifique|no cambies|no borres|no uses|no hagas|no haga|prohibid*|obligatori*
      |a partir de ahora|desde ahora|en adelante|asegúrate|asegúrese|ten cuidado|tenga cuidado|bajo ningún concepto
      |en ningún caso|sin excepción|sin excepciones|cada vez que|antes de cada|después de cada|pregúntame|consúltame
      |sin preguntar|sin consultar|no está permitido|no se puede|no se permite|evita|evite|evitar|recuerda|recuerde
      |no olvides|no olvide|por favor no|solo usa|usa solo|solamente`,
      'solo|debería|sin|cada|antes de|excepto|salvo|al menos|como máximo|mantén|deja',
    ],
    correction: [
      `^no ,|^falso|^espera|^espere|^alto|está mal|incorrect*|no es correcto|no es así|eso no|no es eso|no era eso
      |quise decir|quería decir|me refería|me refiero|dije|te pedí|yo quería|entendiste mal|entendió mal|malentend*
      |por qué has|por qué borraste|deshaz|deshacer|vuelve a poner|olvidaste|te faltó|confundes|confundiste
      |estás confundiendo|te equivocas|te equivocaste|me equivoqué|error mío|mi error|al revés|equivocad*|y no el
      |y no la|sino`,
      'en realidad|realmente|en vez|más bien|mal|pero|no el|no la',
    ],
    preference: [
      `prefier*|preferir*|preferencia|preferimos|preferible|me gustaría|nos gustaría|me gusta|me gustan|odio|detesto
      |idealmente|si es posible|si se puede|de ser posible|en caso de duda|en la duda|quiero|queremos|quisiera
      |sería mejor|estaría bien|sería bueno|mejor si|me parece mejor|me importa|normalmente|solemos|suelo`,
      'mejor|más corto|más simple|más sencillo|ojalá|por favor',
    ],
    decision: [
      `decid*|decisión|eleg*|elig*|elijo|escog*|opt* por|opté|optamos|me quedo con|nos quedamos con|quedamos en
      |vamos con|voy con|iremos con|vamos a usar|voy a usar|usaremos|usamos|en lugar de|en vez de|a favor de
      |el plan es|plan :|el enfoque|mantenemos|mantengo|mantendr*|lo más simple|lo más sencillo|mejor opción|descart*
      |abandon*|recomiend*|recomendación|a propósito|deliberad*|intencional*|adrede|reemplac* por|reemplazar
      |sustitu* por|cambi* a|pas* a usar|migr* a|acordamos|acordado|conclusión|no vale la pena|al final|dejamos|dejo
      |guardaremos|guardamos|seguiremos|seguimos con`,
      'enfoque|opción|solución|plan|más simple|más seguro|más limpio|estrategia|mejor',
    ],
    cause: [
      `porque|causado|causada|causa|debido a|culpable|culpa|motivo|razón|por eso|por lo que|por lo tanto|por tanto
      |por ende|se debe a|se debía a|debe a que|viene de|viene del|proviene|procede de|resulta que|resultó que
      |resultó ser|explica|el problema es|el problema era|problema :|el error es|el error era|error :|el fallo es
      |provoc*|ocasion*|genera el|lleva a|llevó a|ya que|dado que|puesto que|como el|así que|de modo que|encontré el
      |lo encontré|ocurre cuando|sucede cuando|pasa cuando|solo ocurre|nunca se|falta el|falta la|choca|caduca antes`,
      'problema|error|fallo|conflicto|falta|cuando|obsoleto|bloque*|pues|entonces',
    ],
    failed: [
      `no funciona|no funcionó|no funcionaba|no ha funcionado|no sirve|no sirvió|sin éxito|en vano|fracas*
      |callejón sin salida|intenté|he intentado|intentamos|intentando|intento|probé|he probado|probamos|revertí
      |revertido|revertimos|revertir|deshice|marcha atrás|me rendí|renunci*|sigue fallando|sigue sin|sigue igual
      |todavía falla|aún falla|mismo error|no ayuda|no ayudó|no resuelve|no resolvió|no soluciona|no solucionó
      |no cambia nada|ningún efecto|sin efecto|peor|rompió|rompe|roto|rota|imposible|no puede|no pueden|no pude
      |no pudo|no se pudo|no se puede|no hay forma|no hay manera|demasiado lento|demasiado lenta|no soporta|no admite
      |inútil|pérdida de tiempo|rechaz*|se cuelga|se cae|ninguna parte|de nada sirv*|nada cambió|no cambió nada
      |lo dejé como estaba`,
      'pero|falla|falló|lamentablemente|sin embargo|error|desgraciadamente',
    ],
    finding: [
      `nota :|ten en cuenta|tenga en cuenta|cabe destacar|cabe señalar|importante :|es importante|ojo :|medí|medido
      |medición|de media|promedio|descubrí|encontré que|he descubierto|aprendí|confirmé|confirmado|confirma
      |muestra que|significa|el valor|por defecto|valor predeterminado|se encuentra en|está en|están en|ubicado
      |se guarda|se guardan|definido en|pertenece|depende de|interesante|sorpre*|de hecho|en realidad|según
      |a diferencia|mientras que|la diferencia|más rápido|más lento|el doble|por ciento|el límite|límite es
      |límite real|máximo|solo acepta|solo si|no hay ningún|no existe|se llama|se lee|y no|no el|no la|tarda|dura
      |cuesta|la respuesta es`,
      'al parecer|aparentemente|probablemente|ya|solo|exactamente|parece|actualmente',
    ],
    fact: [
      `por cierto|para tu información|para su información|para que sepas|para contexto|nuestro cliente|el cliente
      |la clienta|número de pedido|número de cuenta|número de cliente|fecha límite|plazo|nuestro servidor
      |nuestro equipo|nuestra base|tenemos|usamos|utilizamos|trabajo en|vivo en|mi ordenador|mi computadora
      |mi dirección|la dirección|dirección :|de vacaciones|me llamo|encargad*|responsable`,
      'mi|mis|nuestro|nuestra|nuestros|su|número|versión|corre',
    ],
    open: [
      `falta|faltan|queda por|quedan por|pendiente*|por hacer|todavía no|aún no|más tarde|más adelante|después lo
      |por ahora|de momento|por el momento|provisional*|temporal*|mientras tanto|en espera|esperando|a la espera
      |revisar después|volver a|retomar|retomaré|próximo paso|próximos pasos|siguiente paso|pospu*|pospon*|aplaz*
      |sin probar|no probado|sin verificar|no está claro|no estoy segur*|no sé|por decidir|por definir|incompleto
      |sin terminar|inacabado|en duro|algún día|mañana|próxima semana|en cuanto|una vez que|comentado|desactivado
      |habrá que|habría que|tendremos que|tendré que|no olvidar`,
      'todavía|aún|luego|después|hasta|debería',
    ],
  },
  verbs: `es|son|era|eran|está|están|tiene|tienen|tenía|usa|utiliza|contiene|devuelve|retorna|lee|escribe|espera|acepta
    |requiere|necesita|tarda|cuesta|pertenece|queda|hace|viene|trabaja|corre|funciona|guarda|envía|recibe|hay`,
  progress: `voy a revisar|voy a ver|voy a mirar|voy a leer|voy a ejecutar|voy a comprobar|voy a empezar|voy a buscar
    |voy a abrir|voy a actualizar|voy a crear|déjame|déjeme|permíteme|veamos|vamos a ver|miremos|revisemos|comprobemos
    |empecemos|reviso|ejecuto|leo|busco|actualizo|abro|^ahora|^luego|^primero|^a continuación|^listo|^perfecto
    |^muy bien|^bien|^genial|^excelente|^aquí está|^aquí tienes|^aquí están|^hecho|^todo|todo en verde
    |las pruebas pasan|con éxito|^de nada|^resumen`,
  smallTalk: `sí|gracias|vale|bien|perfecto|genial|continúa|continúe|sigue|adelante|hola|buenos días|de acuerdo|exacto|correcto
    |entendido|claro|de nada|listo`,
  abbreviations: 'p.ej|ej|etc|aprox|sr|sra|srta|dr|dra|núm|nº|pág|av|tel|máx|mín|ud|uds',
};
