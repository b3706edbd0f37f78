import type { Language } from '../language.ts';

export const english: Language = {
  signals: {
    rule: [
      `never|always|must|have to|has to|do not|not allowed|not supposed to|under no circumstances|from now on|going forward|from today
      |make sure|be sure to|at all times|every time|off limits|hands off|stay away from|steer clear|keep away from|leave .. alone
      |leave .. untouched|leave .. in place|leave .. as|forbidden|mandatory|prohibited|no exceptions|without exception|is required|are required
      |ask me|ask first|check with me|without asking|unless i|unless we|unless you|may only|may not|nobody may|rule :|the rule is
      |keep in mind|remember to|remember that|stop using|stop adding|stop doing|avoid|refrain from|be careful|no more than|whenever
      |should only|should never|should always|can only be|needs to stay|only ever|nothing may|whatever you do|whatever happens|before every
      |before each|before any|after every|after each|in every|for every|confidential|treat .. as|it is important|important that|only use|use only
      |needs approval|approval|not permitted|at least two|is not negotiable|do not count|does not count|we can not|no need to|strictly`,
      'only|should|shall|need to|needs to|ensure|without|keep|stay|stays|require*|every|please|except|at most|at least|by default|allowed|policy|convention',
    ],
    correction: [
      `^no ,|^nope|^nah|^wrong|^not quite|^not the|^close ,|is wrong|are wrong|not right|incorrect|not correct|not what i|misunderst*|misread
      |i meant|what i mean|i did not ask|i did not say|i never said|i asked for|i asked you|i said|i told you|i wanted|supposed to|should have been
      |why did you|undo|revert that|put .. back|take .. back|correction :|i was wrong|my mistake|scratch that|let me correct
      |got .. wrong|mixed up|mixing up|confusing|the other way|you forgot|you missed|you left out|it should be|you edited|you used
      |the wrong|not like that|^hold on|^wait|mistaken|is not true|contrary to|i take that back|sorry ,|you changed|you removed|you broke|you deleted|not for me
      |and not|but not|already told|as i said|this is not|that is not|these are not|we are on`,
      `^actually|actually|, not|not .. but|^but|wrong|instead|rather|mistake|^no|right one|correct one|the correct|should be|^not`,
    ],
    preference: [
      `prefer*|would rather|i would like|we would like|i like|i love|i hate|i dislike|do not like|a fan|big fan|favour*|favor*|ideally|if possible
      |where possible|wherever possible|when possible|in doubt|default to|lean towards|leaning towards|i want|we want|i do not want
      |we do not want|would be nice|would be better|nicer|happier|happy with|care about|care much|matters more|matters to me|taste|i find
      |rather have|sooner have|i usually|we usually|i tend to|we tend to|used to|please use|please keep|up to me|fond of|keep it|feel free to
      |fine for me|fine by me|fine with me|strong opinion|enjoy|comfortable with|more readable|easier to read|short answers|, please|spelling|wish`,
      'better|rather|i think|i would|easier|like|want|please|style|should|maybe|something|fewer|shorter|not too|more',
    ],
    decision: [
      `decid*|decision|going with|go with|goes with|went with|gone with|go for|going for|went for|opt for|opts for|opted|opting|chose|choose|choosing|chosen|picked|my pick
      |settled|settle on|settling on|sticking with|sticking to|stick with|stick to|rather than|instead of|instead ,|, instead|in favour of|in favor of|in place of|the plan
      |our plan|my plan|plan :|we will|i will use|i will keep|i will leave|i will follow|will be done|will be using|let's use|let's keep|let's make
      |let's do|let's drop|let's stick|let's stay|let's go with|let's skip|let's not|switch to|switched to|switching to|switching from|moved to|moving to|migrat* to|keep using|kept|i am keeping|we are keeping
      |more sense|best option|better option|cleanest|safest|simplest|trade-off|tradeoff|agreed|conclusion|so i kept|so i used|so i went|so i made|so i will
      |ditch*|abandon*|scrap*|ruled out|rule out|ruling out|not going to|are not adding|not adding|recommend*|by design|on purpose|deliberate*|intentional*|i left|we left|i made
      |i am leaving|i am putting|i am treating|i am using|we are using|we are building|replaced .. with|replace .. with|replacing .. with|swapped|swap .. for
      |drop .. for|dropped|dropping|design choice|the approach|approach :|the idea is|my choice|choice|verdict|landed on|ended up|way to go|worth it|not worth|not worth the
      |better to|simpler to|easier to|cheaper to|safer to|get rid of|getting rid|from here on|in the end|wins over|beats|will be|stays with|stays as|stay compatible
      |final design|final :|the call|call was|team's call|freeze|the name will|no longer use|is what we|what we are building|we take|we keep|we store|we treat`,
      'instead|rather|approach|option*|plan|over|will not|keep|keeping|replac*|split|strategy|design|solution|simpler|cleaner|safer|cheaper|single|enough|so',
    ],
    cause: [
      `because|cause|root cause|caused by|causes|causing|turns out|turned out|explains|explain why|that is why|which is why|this is why|is why|was why|why it|reason|due to|owing to|culprit|to blame
      |stems from|stemmed from|comes from|come from|came from|coming from|comes down to|boils down to|traced|responsible for|the issue is|the issue was|issue :|the problem is|the problem was|problem :|the bug is
      |the bug was|bug :|as a result|leads to|led to|results in|resulted in|resulting in|hence|therefore|thus|consequently|consequence of|underlying|found it|found the bug|found the problem
      |found the issue|figured out|figured it out|real problem|real issue|actual problem|actual issue|actual bug|triggered by|happens when|happens if|happened|only happens|fails when|breaks when|fails on|breaks on|a race|race between|race condition
      |what happens is|the trouble is|the catch|was never|is never|were never|never got|never gets|never stops|never removed|never closed|overwrit*|shadows|collid*|clash*|deadlock*|leaks|leak is|mismatch*|out of sync
      |no wonder|which breaks|which broke|which makes|which means|the fault|at fault|behind the|on account of|given that|seeing that|all along|so that is|off-by-one|off by one|stale|that is where|still points|stalls|got slow|whenever
      |so nothing|so the|so it|so they|so every|, as the|, as it|, as we|, as they|since the|since it|since we|since they|since every|lacks|is read before|strips|swallow*|silently|deduplicate|twice|locked after|got it :|nothing is wrong|changed the|is missing`,
      'since|so|trigger*|conflict*|missing|wrong|problem|issue|bug|why|when|race|leak*|unless|without|too early|too late|expects|assum*|means|prevent*|skips|misses|ignores|apparently|limited',
    ],
    failed: [
      `not work|not working|no luck|no dice|no change|dead end|dead-end|revert*|rolled back|roll back|rolling back|backed out|backing out|undid|undone|had to undo|took it out|gave up|give up|giving up|given up|still fail*|still broken|still not|still crash*|still hang*
      |still happen*|still there|still the same|same error|same result|keeps failing|broke|breaks|broken|tried|to no avail|not help|no help|no effect|worse|in vain|hit a wall|no good|can not|could not|was not able|unable to|impossible|crashes|crashed|timed out|times out|hangs|hung|suites hang|rejected|refused
      |refuses|blows up|blew up|chokes|choked|not an option|does not support|not supported|unsupported|no way to|no way around|without success|unsuccessful*|nothing changed|no difference|not viable|not feasible|not compile|no longer compiles|not build|fell over|falls over|fell apart
      |falls apart|backfired|not enough|not fix|not solve|not resolve|fixes nothing|neither .. nor|rules out|attempt*|stuck|no go|no-go|too slow|too fragile|caused a regression|waste of time|wasted|bail* out|threw .. away|not reproduce|do not bother|no success|fruitless|nowhere|useless|pointless|inconclusive
      |off the table|out of memory|slower|mangles|corrupts|corrupt the|moved the problem|not solve it|ignored in|never arrives|does not exist|has no|had no|prefers a`,
      'fails|failed|failing|failure|error*|try|trying|crash*|timeout|but|however|unfortunately|exception|denied|lost|unstable|hang|panic*|regress*|either|flak*|too',
    ],
    finding: [
      `note that|note :|note to self|notably|important :|important to note|key insight|insight|key point|interesting|interestingly|surprising*|surprise|measured|on average|found that|i found that|discovered|learned|confirmed|confirms|verified that|shows that|showed that|indicates|means that
      |the value|is set to|was set to|equals|defaults to|the default|lives in|live in|lives under|located in|located at|is defined in|are defined in|is stored in|are stored in|is kept|are kept|points to|belongs to|belong to|depends on|gotcha|caveat|warning :|beware|heads up|lesson|for reference|for the record
      |undocumented|the docs|according to|the answer|answer :|result :|is called|are called|is named|there is no|there are no|not used by|nobody uses|not the one|not the same|is actually|are actually|in fact|in reality|worth knowing|worth noting|worth remembering|good to know|tl;dr|unlike|whereas|as opposed to|the difference|differs|read-only
      |case-sensitive|case sensitive|sensitive to|went from|down from|up from|dropped from|dropped to|rose to|grew from|speeds up|slows down|faster|twice as|times as|half the|percent|per cent|p95|p99|median|of which|comes out at|clocks in|weighs|peaks at|maxes out|caps at|capped at|limited to|limit is|real limit|is the only|accepts only
      |only accepts|only the|takes precedence|deprecated|was removed in|renamed|observed|proves|correlation|sample|suggests|ignores the|is ignored|already has|already in|already have|runs until|valid until|expires|is read from|, not|it is .. not|, the docs|rely on|relies on|counts from|per hour|an hour|per minute|per second|duplicates|on ci|locally|different split|are affected|is affected|retried`,
      'actually|actual|apparently|probably|likely|already|currently|seems|appears|shows|found|only|real|exactly|benchmark*|measur*|evidence|baseline|average|significant*|up to|between|nobody|anyone|each',
    ],
    fact: [
      `by the way|btw|fyi|for context|for your information|for background|just so you know|in case you|so you know|my name|our customer|the customer|customer since|account number|order number|phone number|deadline|due on|due by|is owned by|is managed by|is maintained by|was written by|was collected|nobody knows|we run|we have|we are on
      |i work|i live|i paid|i bought|i ordered|our team|our ci|our server|our database|our fiscal|my machine|my laptop|my setup|my colleague|is hosted|hosted on|the password|address :|the address|the budget|the client|our client|stands for|stands in|is short for|in charge|contact|allergic|is on leave|on vacation`,
      'my|our|their|his|her|she|he|called|number|version|i have|i am on|since|located|ticket|starts|mostly|production|staging|named',
    ],
    open: [
      `still need*|still have to|still has to|still to do|still missing|still open|still outstanding|still pending|still unclear|todo|to-do|fixme|tbd|come back|coming back to|get back to|call back|circle back|revisit*|for now|for the moment|at the moment|for the time being|stub|stubbed|stubs|not yet|not .. yet|yet to|next step*|next up|what remains|what is left|is left|left to do
      |left for|for later|later on|follow-up|follow up|followup|pending|postpone*|defer*|parked|punt*|shelve*|blocked on|blocked until|waiting for|waiting on|outstanding|unresolved|unanswered|open question*|open point*|temporar*|placeholder|hardcoded|hard-coded|not implemented|unimplemented|no-op|remains to|unfinished|half-done|half done|so far|not done
      |wip|work in progress|to be done|to be decided|needs to be|will need to|will have to|has to go|have to go|out of scope|separate pr|separate change|separate ticket|another day|tomorrow|next week|next time|do not forget|remind me|untested|not tested|unverified|unclear|not sure|unsure|do not know|not certain|someone should|somebody should|someone has to|somebody has to|eventually|once the|once .. is|once .. are|until the|until .. is
      |after the release|after the merge|before launch|before this|in the future|at some point|worth checking|loose end*|unaddressed|not covered|on my list|backlog|not handled|workaround|commented out|skipped|mocked|faked|dummy|have yet|awaiting|blocked|we need to|we should|need to double-check|double-check the|not looked at|is next|are next|approval from`,
      'later|yet|missing|next|remain*|should|need*|until|wait*|skip*|open|question|incomplete|maybe|investigate|gap|disabled|leftover|soon|still',
    ],
  },
  verbs: `is|are|was|were|has|have|had|takes|took|returns|returned|uses|used|contains|lives|expects|requires|needs|supports|goes|go|runs|run|stores|reads|writes|sends|receives|accepts|rejects|shares|exists|does|did|costs|sits|gets|keeps|holds|owns|serves|handles|maps|ships|comes|counts|starts|ends|expires|stays|works|matches|ignores|covers|adds|drops|makes|made|gives|calls|fires|hits|carries|reports|lacks|wants|breaks|stops|removes|trusts|trust|carry|accept|return`,
  progress: `let me|let's check|let's look|let's see|let's run|let's try|let's start|let's examine|let's continue|^let us|^now i will|^now i|^now ,|^now let's|^now update|^now add|^now fix|^now run|^now the|^now to|^now for|^first ,|^first i|^next ,|^next i|^then i|i will now|i will start|i will check|i will look|i will run|i will read|i will also|i will continue|i will begin|i will proceed|i will take|i will add|i will update|i will create|i will write|i will search|i will open|i will click|i will navigate|i will scroll|i will go through|i will get|i will fix|i will install|i will need|i will do|i will implement|i will mark|i will rename|i will dispatch
    |i am going to check|i am going to look|i am going to run|i am going to search|i am running|i am checking|i am reading|i am looking|i am starting|i am now|i am adding|i am updating|i am waiting|i am rerunning|i am inspecting|i am committing|i am pushing|i am opening|i am going through|i am continuing|i am downloading|i am refreshing|i am typing|i am on it|^running|^checking|^reading|^looking at|^searching|^updating|^adding|^committing|^pushing|^starting|^continuing|^moving on|^waiting for|^verifying|^installing|^opening|^here is|^here are|^here we|^done|^all tests|^all green|^tests :|^great|^perfect|^good|^excellent|^nice|^ok|^okay|^alright|^sure|^thank|all green|tests passed|tests pass|is clean|is green|are green
    |no errors|no issues|no problems|everything works|everything passes|looks good|look good|as expected|working correctly|is complete|committed|pushed|successfully|summary of|what changed|files changed|let me know|feel free|happy to|would you like|do you want|shall i|should i|anything else|can help|is ready|is running|has loaded|^added|^updated|^created|^implemented|^removed|^refactored|^i have added|^i have updated|^i have created|^i have found|^i have everything|^i have got|^i have a|^i added|^i updated|^i created|^i need to|^we need to check|^i should|^i want to|^i see|^time to|let's go|in parallel|one by one|^thought :|^step|have located|now have`,
  smallTalk: `ok|okay|thanks|thank you|thx|ty|yes|yep|yeah|yup|sure|great|perfect|cool|nice|awesome|good|go on|go ahead|continue|proceed|please continue|keep going|carry on|sounds good|looks good|lgtm|do it|next|hi|hello|hey|good morning|good job|well done|alright|got it|i see|understood|right|exactly|correct|please|bye|no problem|you are welcome|ready|done|fine|hmm|lol|wow`,
  abbreviations: `e.g|i.e|eg|ie|etc|vs|approx|ca|cf|mr|mrs|ms|dr|prof|st|no|fig|eq|sec|ch|pp|vol|ed|al|inc|ltd|co|resp|incl|max|min|dept|est|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|u.s|a.m|p.m`,
};
