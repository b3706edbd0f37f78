import type { Language } from '../language.ts';

export const spanish: Language = {
  signals: {
    rule: `nunca|jamás|siempre|debe|deben|debes|debemos|hay que|no toques|no uses|no haga|prohibid*|obligatori*|asegúrate
      |asegúrese|pregúntame|consúltame|evita|evite|evitar|recuerda|recuerde|solamente|a partir de ahora
      |de ahora en adelante|no modifi*|cada vez|tiene que|tienes que`,
    correction: `^no ,|^falso|^espera|^espere|^alto|incorrect*|eso no|dije|te pedí|malentend*|deshaz|deshacer
      |olvidaste|confundes|confundiste|te equivocaste|equivocad*|sino|me refería|está mal|quise decir|no es`,
    preference: `prefier*|preferir*|preferencia|preferimos|preferible|me gustaría|odio|detesto|idealmente|quiero|queremos
      |quisiera|normalmente|solemos|suelo|me gusta|si es posible|en lo posible`,
    decision: `decid*|decisión|eleg*|elig*|elijo|escog*|opté|optamos|nos quedamos con|vamos con|voy con|usaremos|usamos|plan :
      |mantenemos|mantengo|mantendr*|descart*|abandon*|recomiend*|recomendación|deliberad*|intencional*|adrede
      |reemplazar|migr* a|acordamos|acordado|conclusión|dejamos|dejo|guardaremos|guardamos|seguiremos|en lugar de
      |en vez de|cambi* a`,
    cause: `porque|causado|causada|causa|culpable|culpa|motivo|razón|por eso|viene de|proviene|explica|error :|provoc*
      |ocasion*|lleva a|llevó a|ya que|como el|así que|choca|debido a|el problema|se debe a|resulta que|viene del`,
    failed: `tampoco funciona|tampoco arranca|tampoco ayud*|sigue sin|no sirvió|en vano|fracas*|intenté|intentamos|intentando|intento|probamos|revertí|revertido|revertimos
      |revertir|deshice|renunci*|peor|rompió|rompe|no pude|no pudo|inútil|ninguna parte|no funciona|no funcionó
      |sin éxito|sigue fallando|callejón|no ayud*|el mismo error`,
    finding: `nota :|ojo :|medí|medido|medición|promedio|descubrí|aprendí|confirmé|confirmado|confirma|significa
      |está en|ubicado|pertenece|interesante|sorpre*|según|máximo|solo si|se lee|y no|no el|no la|tarda|dura|cuesta
      |por defecto|depende de|se encuentra|más rápido|más lento|roto|rota|imposible|rechaz*|se cae|no se puede`,
    fact: `plazo|tenemos|usamos|utilizamos|encargad*|responsable|por cierto|el cliente|número de|me llamo|para que sepas`,
    open: `falta|faltan|pendiente*|aún no|provisional*|temporal*|esperando|retomar|retomaré|pospu*|pospon*|aplaz*|no sé
      |incompleto|inacabado|en duro|mañana|comentado|desactivado|habrá que|más tarde|por ahora|de momento
      |siguiente paso|todavía no|sin probar|en cuanto`,
  },
  hints: `solo|debería|sin|cada|excepto|salvo|mantén|deja|en vez|mal|pero|problema|error|conflicto|bloque*|entonces
    |falla|parece|actualmente|todavía|aún`,
  verbs: `es|son|era|eran|está|están|tiene|tienen|tenía|usa|utiliza|contiene|devuelve|retorna|lee|escribe|espera|acepta
    |requiere|necesita|tarda|cuesta|pertenece|queda|hace|viene|trabaja|corre|funciona|guarda|envía|recibe|hay`,
  intents: `déjame|déjeme|permíteme|voy a|veamos|miremos|revisemos|comprobemos`,
  looks: `revis*|mir*|veamos|ver|leer|busc*|ejecut*|comprob*|probar`,
  progress: `empecemos|reviso|ejecuto|leo|busco|actualizo|abro|^ahora|^luego|^primero|^listo|^perfecto|^bien|^genial
    |^excelente|^hecho|^todo|^resumen`,
  smallTalk: `sí|gracias|vale|bien|perfecto|genial|continúa|continúe|sigue|adelante|hola|exacto|correcto|entendido|claro|listo`,
  abbreviations: 'p.ej|ej|etc|aprox|sr|sra|srta|dr|dra|núm|nº|pág|av|tel|máx|mín|ud|uds',
};
