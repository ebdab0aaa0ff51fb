from cscluster.report.html.markup import Markup, escape, join, tag, text


def test_text_is_escaped_and_markup_is_not():
    assert escape("<b> & \"'") == "&lt;b&gt; &amp; &quot;&#x27;"
    assert escape(Markup("<b>")) == "<b>"
    assert escape(3) == "3"
    assert tag("p", "<", tag("i", "&")) == "<p>&lt;<i>&amp;</i></p>"


def test_what_is_joined_is_markup_that_is_not_escaped_again():
    joined = join(["<", tag("br"), 1])
    assert isinstance(joined, Markup)
    assert tag("p", joined) == "<p>&lt;<br>1</p>"


def test_attributes():
    assert (
        tag("a", href='"x"', class_="c", aria_label=1)
        == '<a href="&quot;x&quot;" class="c" aria-label="1"></a>'
    )
    assert tag("input", hidden=True, checked=False, value=None, name="n") == '<input hidden name="n">'
    assert tag("p", title=Markup('"')) == '<p title="&quot;"></p>'


def test_text_of_a_file_keeps_its_direction_to_itself():
    assert text("<שלום>") == "<bdi>&lt;שלום&gt;</bdi>"
