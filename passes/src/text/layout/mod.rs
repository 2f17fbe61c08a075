//! Laying a program out for a person: one statement a line, indented by its nesting.
//!
//! Only white space changes. The layout is a function of tokens, comments and directives, never of the
//! white space that was there, except that a comment stays on the line of what it follows. So laying
//! out twice is laying out once.

mod lines;
mod pieces;
mod printer;
mod roles;
mod spacing;

pub(super) use lines::{indented, trim_lines};

use crate::SyntaxTree;
use crate::analysis::Tokens;

/// The bytes of a file laid out anew; `None` where that is not possible without changing more than
/// white space.
pub(super) fn lay_out(unit: Tokens<'_>, tree: &SyntaxTree) -> Option<Vec<u8>> {
    let roles = roles::roles(unit, tree);
    let pieces = pieces::pieces(unit, &roles)?;
    Some(printer::print(unit, &pieces))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;
    use crate::Snapshot;

    fn check(before: &str, after: &str) {
        let case = TestCase::single("a.c", before.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::OPENCL);
        let unit = Tokens::all(&snapshot).next().unwrap();
        let out = lay_out(unit, snapshot.tree(0)).unwrap();
        assert_eq!(String::from_utf8_lossy(&out), after);
    }

    #[test]
    fn statements_stand_on_lines_of_their_own() {
        check(
            "typedef struct{int a;int*b:3;}S;S s={1,{2,-3}};enum E{A=1,B};
             __kernel void entry ( __global ulong*result ){int i,*p=&i;l:for(i=0;i<4;++i){
             if(i)continue;else if(!i){p[i]--;}else{}
             do i=i*-2;while(i&&*p);switch(i){case 1:break;default:;}while(1);}result[0]=(int)i?f(i , 1):s.a;}
             int (*g)(void);int h(void);",
            "typedef struct {
    int a;
    int *b : 3;
} S;
S s = {1, {2, -3}};
enum E {A = 1, B};
__kernel void entry(__global ulong *result) {
    int i, *p = &i;
l:
    for (i = 0; i < 4; ++i) {
        if (i)
            continue;
        else if (!i) {
            p[i]--;
        } else {}
        do
            i = i * -2;
        while (i && *p);
        switch (i) {
        case 1:
            break;
        default:
            ;
        }
        while (1);
    }
    result[0] = (int)i ? f(i, 1) : s.a;
}

int (*g)(void);
int h(void);
",
        );
    }

    #[test]
    fn cpp_is_laid_out_as_people_write_it() {
        let before = "template<typename T,class...U>concept C=requires(T t){{t.f()}->D<int>;t+1;};
            template<>class A<B<int>>:public D<T>{public:A(int n):x{n}{}bool operator==(const A&)const;private:int x{1};T&&y;};
            auto f(auto...a)->int{try{auto[p,q]=g<int>(a...);for(auto&x:v){h([&x,y](int b){return b;},[]{});}}catch(int){}catch(...){return A{1};}
            auto l=[=]{return sizeof...(U);};return(a+...)+static_cast<int>(n::x);}";
        let after = "template <typename T, class... U> concept C = requires(T t) {
    {t.f()} -> D<int>;
    t + 1;
};
template <> class A<B<int>> : public D<T> {
public:
    A(int n) : x{n} {}
    bool operator==(const A &) const;
private:
    int x{1};
    T &&y;
};
auto f(auto... a) -> int {
    try {
        auto [p, q] = g<int>(a...);
        for (auto &x : v) {
            h([&x, y](int b) {
                return b;
            }, [] {});
        }
    } catch (int) {} catch (...) {
        return A{1};
    }
    auto l = [=] {
        return sizeof...(U);
    };
    return (a + ...) + static_cast<int>(n::x);
}
";
        let case = TestCase::single("a.cc", before.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::CPP);
        let unit = Tokens::all(&snapshot).next().unwrap();
        let out = lay_out(unit, snapshot.tree(0)).unwrap();
        assert_eq!(String::from_utf8_lossy(&out), after);
    }

    #[test]
    fn comments_and_directives_keep_their_lines() {
        check(
            "// -g 1 -l 1 \n  #define A( x )  \"a  b\"\nint a; // b\n\n\n/* c */ int d; /* e */ int f(/* g */);",
            "// -g 1 -l 1\n#define A(x) \"a  b\"\nint a; // b\n/* c */\nint d; /* e */\nint f( /* g */ );\n",
        );
    }

    #[test]
    fn broken_code_is_laid_out_by_its_tokens() {
        check("if(a{b;}}else-c*d;x[", "if (a {\n    b;\n}\n}\n\nelse\n    -c * d;\nx[\n");
    }

    #[test]
    fn what_words_left_in_directives_is_one_blank() {
        check(
            "#pragma omp  simd\n#include <a  b.h>\nint a;",
            "#pragma omp simd\n#include <a  b.h>\nint a;\n",
        );
    }

    #[test]
    fn blocks_are_laid_out_as_pointers_and_values() {
        check(
            "void f(void){void(^ d)()=0;void(^e)(void)=^{g();};int(^h)(int)=^(int x){return x;};q(r,^{g();});}",
            "void f(void) {
    void (^d)() = 0;
    void (^e)(void) = ^{
        g();
    };
    int (^h)(int) = ^(int x) {
        return x;
    };
    q(r, ^{
        g();
    });
}
",
        );
    }

    #[test]
    fn casts_look_the_same_where_the_parser_fails() {
        check(
            "D f(void){return(D) g(1)+(int) x+(D*) y;}if(a",
            "D f(void) {\n    return (D)g(1) + (int)x + (D *)y;\n}\n\nif (a\n",
        );
    }

    #[test]
    fn line_breaks_stay_as_they_are() {
        check("int a;int b;\r\n", "int a;\r\nint b;\r\n");
    }
}
